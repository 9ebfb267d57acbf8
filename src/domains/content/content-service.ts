import type { ChildLink, ContentCalls, UserCalls } from '../../connector/child-site.ts';
import type { CallWait } from '../../shared/call-wait.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { FanOut, SelectedSites, OutcomeStream, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import { attemptCall, KeyedMutex, type ChildChanges, type SiteWithUrlKey, type SiteCalls } from '../sites/index.ts';
import { checkContent, toContentQuery } from './content-checks.ts';
import {
  isOfKind,
  contentNotFound,
  type Content,
  type ContentAction,
  type ContentDetail,
  type ContentEntry,
  type ContentFilter,
  type ContentKind,
  type ContentPatch,
  type NewContent,
} from './content.ts';
import { EditLock } from './edit-lock.ts';
import { planEdit, type EditPlan } from './edit-plan.ts';
import { judgeCreation, type CreatedContent, type ReportedCreation } from './proven-creation.ts';
import { judgeEdit, type EditProgress } from './proven-edit.ts';
import { judgeStatusChange, RESULT_STATUS } from './content-action-verification.ts';
import { alteredTextWarnings, escapeMarkup, needsEditAfterCreation } from './text-preservation.ts';

export interface ContentServiceDeps {
  clock: Clock;
  child: ContentCalls & UserCalls;
  calls: SiteCalls;
  selector: SiteSelector;
  fanOut: FanOut;
  childChanges: ChildChanges;
}

export interface ContentRef {
  kind: ContentKind;
  siteId: number;
  id: number;
}

/**
 * Reads and changes posts and pages on sites. Nothing is stored here: each call contacts the site, and the result of a
 * change is read from the site.
 */
export class ContentService {
  readonly #deps: ContentServiceDeps;
  readonly #lock: EditLock;
  readonly #mutex = new KeyedMutex();

  constructor(deps: ContentServiceDeps) {
    this.#deps = deps;
    this.#lock = new EditLock(deps.child, deps.clock);
  }

  async list(
    kind: ContentKind,
    selection: SiteSelection,
    filter: ContentFilter,
    wait?: CallWait,
  ): Promise<{ selected: SelectedSites; outcomes: OutcomeStream<ContentEntry[]> }> {
    const { selector, fanOut, child } = this.#deps;
    const query = toContentQuery(kind, filter);
    const selected = await selector.select(selection);
    return { selected, outcomes: fanOut.callAll(selected.sites, (link) => child.listContent(link, query), wait) };
  }

  get({ kind, siteId, id }: ContentRef): Promise<ContentDetail> {
    return this.#runExclusive(siteId, id, (link, site) => this.#detail(kind, link, site, id), { reads: true });
  }

  /**
   * Creates a post. If the child plugin could change the title or excerpt, creates a draft with escaped texts. Then an
   * edit, which is not filtered, sets the original texts and the status. So visitors never see a wrong title.
   */
  async create(kind: ContentKind, siteId: number, content: NewContent, actor: string): Promise<CreatedContent> {
    checkContent(content);
    const { child, childChanges } = this.#deps;
    return this.#calling(siteId, async (link, site) => {
      const { sticky, ...rest } = content;
      const whole = { ...rest, ...(sticky && { sticky }), type: kind };
      const exact = needsEditAfterCreation(content);
      const first = { title: escapeMarkup(whole.title), excerpt: escapeMarkup(whole.excerpt ?? ''), status: 'draft' };
      const created = await childChanges.carryOut(
        { siteId, actor },
        {
          send: async (): Promise<ReportedCreation> => {
            const { id, link: url } = await child.createContent(link, exact ? { ...whole, ...first } : whole);
            return { id, link: url, warnings: exact ? await this.#completeDraft(link, id, content) : [] };
          },
          read: async (answer) => ({ detail: answer && (await this.#findDetail(kind, link, site, answer.id)) }),
          judge: (change) => judgeCreation(kind, content, change),
        },
      );
      return { ...created, warnings: [...created.warnings, ...editWarningsOf(content, created.content)] };
    });
  }

  /**
   * Changes only the given fields. Edits of one post run one at a time, because an edit may write back values that it
   * has read.
   */
  async edit(
    { kind, siteId, id }: ContentRef,
    patch: ContentPatch,
    actor: string,
  ): Promise<{ detail: ContentDetail; warnings: string[] }> {
    checkContent(patch);
    return this.#runExclusive(siteId, id, async (link, site) => {
      const before = await this.#lock.acquire(link, id);
      if (!before) throw contentNotFound(kind);
      try {
        if (!isOfKind(kind, before.type)) throw contentNotFound(kind);
        const plan = planEdit(before, patch);
        const stored = await this.#deps.childChanges.carryOut(
          { siteId, actor },
          {
            send: () => this.#executePlan(link, { kind, id, type: before.type }, plan),
            read: async () => ({ content: await this.#deps.child.readContent(link, id) }),
            judge: (change) => judgeEdit(kind, before, patch, change),
          },
        );
        const content = { ...stored, lock: before.lock };
        // The edit has been verified. If this call fails, the response only lacks the fields of lists of posts.
        const { value } = await attemptCall(() => this.#withEntry(link, site, content));
        const detail = value ?? { site, content, entry: null, editor: this.#lock.activeLock(content) };
        return { detail, warnings: editWarningsOf(patch, content, before) };
      } finally {
        await this.#lock.release(link, before);
      }
    });
  }

  /** Returns the new status, or null if the post was deleted permanently. */
  changeStatus({ kind, siteId, id }: ContentRef, action: ContentAction, actor: string): Promise<string | null> {
    return this.#runExclusive(siteId, id, async (link) => {
      const { child, childChanges } = this.#deps;
      const before = await this.#findEntry(kind, link, id);
      if (action === 'restore' && before.status !== 'trash')
        throw new ConflictError('svc_post_invalid_state', 'The content is not in the trash, so it cannot be restored.');
      if (before.status === RESULT_STATUS[action]) return before.status;
      await child.checkEditLock(link, id);
      return childChanges.carryOut(
        { siteId, actor },
        {
          send: async () => {
            const exists = await child.contentAction(link, id, action);
            // If the site has no trash, `trash` deletes the post, and the child plugin then does not find it.
            if (!exists && action !== 'trash') throw contentNotFound(kind);
          },
          read: async () => ({ status: (await child.contentEntry(link, id, before.type))?.status ?? null }),
          judge: (change) => judgeStatusChange({ kind, id, action }, before, change),
        },
      );
    });
  }

  async #calling<T>(
    siteId: number,
    work: (link: ChildLink, site: SiteWithUrlKey) => Promise<T>,
    { reads = false } = {},
  ): Promise<T> {
    return this.#deps.calls.run(siteId, work, { reads });
  }

  /**
   * Runs calls for the same post one at a time. Otherwise our own edit lock could be mistaken for the lock of a person.
   */
  #runExclusive<T>(
    siteId: number,
    id: number,
    work: (link: ChildLink, site: SiteWithUrlKey) => Promise<T>,
    { reads = false } = {},
  ): Promise<T> {
    return this.#calling(siteId, (link, site) => this.#mutex.runExclusive(`${siteId}:${id}`, () => work(link, site)), {
      reads,
    });
  }

  /**
   * Sets the original texts and the status of a draft. Returns an error as a warning, because the post exists already.
   */
  async #completeDraft(link: ChildLink, id: number, content: NewContent): Promise<string[]> {
    const { child } = this.#deps;
    const { title, excerpt, status, date, dateGmt } = content;
    const fields = {
      title,
      ...(excerpt !== undefined && { excerpt }),
      ...(status !== 'draft' && status !== 'trash' && { status }),
      ...(date !== undefined && dateGmt !== undefined && { date, dateGmt }),
    };
    const { value: isDone, error } = await attemptCall(async () => {
      const isUpdated = await child.updateContent(link, id, fields);
      return isUpdated && status === 'trash' ? child.contentAction(link, id, 'trash') : isUpdated;
    });
    return isDone ? [] : [`${UNFINISHED}${error ? `: ${error.message}` : '.'}`];
  }

  /**
   * Runs the calls of a plan in order. Throws the error of the first call; the error of a later call is returned,
   * because the calls before it have changed the post.
   */
  async #executePlan(
    link: ChildLink,
    { kind, id, type }: { kind: ContentKind; id: number; type: string },
    { rewrite, fields, resetCategories, customFields, action }: EditPlan,
  ): Promise<EditProgress> {
    const { child } = this.#deps;
    const author = rewrite && (await this.#author(link, id, type));
    const steps = [
      rewrite && (() => child.rewriteContent(link, id, rewrite, author).then(() => true)),
      fields && (() => child.updateContent(link, id, fields, resetCategories)),
      customFields && (() => child.updateCustomFields(link, id, customFields)),
      action && (async () => (await child.contentAction(link, id, action)) || action === 'trash'),
    ].flatMap((step) => step || []);
    for (const [at, step] of steps.entries()) {
      const { value: exists, error } = await attemptCall(step);
      const failure = error ?? (exists ? null : contentNotFound(kind));
      if (failure && at === 0) throw failure;
      if (failure) return { stopped: failure };
    }
    return { stopped: null };
  }

  /**
   * Returns the login of the author. Lists contain only the nice name of WordPress, which can differ from the login.
   * Without the login, writing the whole post would assign it to the administrator that the site is connected with.
   */
  async #author(link: ChildLink, id: number, type: string): Promise<string | null> {
    const { child } = this.#deps;
    const email = (await child.contentEntry(link, id, type))?.authorEmail?.toLowerCase();
    if (email === undefined) return null;
    const users = await child.searchUsers(link, { search: email, columns: ['user_email'] });
    return users.find((user) => user.email.toLowerCase() === email)?.login ?? null;
  }

  /**
   * Finds a post in a list, because reading a list does not affect the edit lock. Lists omit post types that are
   * excluded from search; posts of these types are read directly.
   */
  async #findEntry(
    kind: ContentKind,
    link: ChildLink,
    id: number,
  ): Promise<Pick<ContentEntry, 'type' | 'status' | 'title'>> {
    const { child } = this.#deps;
    const entry =
      (await child.contentEntry(link, id, kind === 'page' ? 'page' : 'any')) ??
      (kind === 'page' ? null : await this.#lock.read(link, id));
    if (!entry || !isOfKind(kind, entry.type)) throw contentNotFound(kind);
    return entry;
  }

  async #detail(kind: ContentKind, link: ChildLink, site: SiteWithUrlKey, id: number): Promise<ContentDetail> {
    const detail = await this.#findDetail(kind, link, site, id);
    if (!detail) throw contentNotFound(kind);
    return detail;
  }

  async #findDetail(
    kind: ContentKind,
    link: ChildLink,
    site: SiteWithUrlKey,
    id: number,
  ): Promise<ContentDetail | null> {
    const content = await this.#lock.read(link, id);
    return content && isOfKind(kind, content.type) ? this.#withEntry(link, site, content) : null;
  }

  async #withEntry(link: ChildLink, site: SiteWithUrlKey, content: Content): Promise<ContentDetail> {
    const entry = await this.#deps.child.contentEntry(link, content.id, content.type);
    return { site, content, entry, editor: this.#lock.activeLock(content) };
  }
}

/** The child plugin reports no error if it cannot fetch an image. */
function editWarningsOf(wanted: ContentPatch, stored: Content, before?: Content): string[] {
  const failed = wanted.featuredImage && stored.featuredImage === null;
  return [...(failed ? [IMAGE_FAILED] : []), ...alteredTextWarnings(wanted, stored, before)];
}

const IMAGE_FAILED = 'The site could not fetch the featured image.';
const UNFINISHED = 'The content was created as a draft, but a later step failed';
