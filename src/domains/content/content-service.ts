import type { Knex } from 'knex';
import type { ChildLink, ContentCalls, UserCalls } from '../../connector/child-site.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ChangedObject } from '../../shared/changed-object.ts';
import { omitEmptyValues } from '../../shared/changed-values.ts';
import type { Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { FanOut, SelectedSites, OutcomeStream, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import { attemptCall, KeyedMutex, type SiteWithUrlKey, type SiteCalls } from '../sites/index.ts';
import { checkContent, toContentQuery } from './content-checks.ts';
import { describeContentEdit } from './content-change.ts';
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
import { proveStatus, RESULT_STATUS } from './proven-status.ts';
import { alteredTextWarnings, escapeMarkup, needsExactEdit } from './exact-texts.ts';

export interface ContentServiceDeps {
  knex: Knex;
  clock: Clock;
  child: ContentCalls & UserCalls;
  calls: SiteCalls;
  selector: SiteSelector;
  fanOut: FanOut;
  changeLog: ChangeLog;
}

export interface ContentRef {
  kind: ContentKind;
  siteId: number;
  id: number;
}

export interface CreatedContent {
  id: number;
  status: string | null;
  link: string | null;
  content: Content | null;
  warnings: string[];
}

const ACTION_WORDS: Record<ContentAction, string> = {
  publish: 'published',
  unpublish: 'unpublished',
  trash: 'trashed',
  restore: 'restored',
  delete: 'deleted',
};

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
  ): Promise<{ selected: SelectedSites; outcomes: OutcomeStream<ContentEntry[]> }> {
    const { selector, fanOut, child } = this.#deps;
    const query = toContentQuery(kind, filter);
    const selected = await selector.select(selection);
    return { selected, outcomes: fanOut.callAll(selected.sites, (link) => child.listContent(link, query)) };
  }

  get({ kind, siteId, id }: ContentRef): Promise<ContentDetail> {
    return this.#runExclusive(siteId, id, (link, site) => this.#detail(kind, link, site, id), { reads: true });
  }

  /**
   * Creates a post. If the child plugin would filter a text, the post is created as a draft with escaped texts. Then an
   * unfiltered edit sets the original texts and the status, so visitors never see a wrong title.
   */
  async create(kind: ContentKind, siteId: number, content: NewContent, actor: string): Promise<CreatedContent> {
    checkContent(content);
    return this.#calling(siteId, async (link, site) => {
      const { sticky, ...rest } = content;
      const whole = { ...rest, ...(sticky && { sticky }), type: kind };
      const exact = needsExactEdit(content);
      const first = { title: escapeMarkup(whole.title), excerpt: escapeMarkup(whole.excerpt ?? ''), status: 'draft' };
      const { id, ...written } = await this.#deps.child.createContent(link, exact ? { ...whole, ...first } : whole);
      const thing = {
        name: content.title,
        key: id,
        after: omitEmptyValues({ title: content.title, status: content.status }),
      };
      await this.#log(site, `${kind}.created`, `The ${kind} ${id} was created.`, actor, thing);
      const warnings = exact ? await this.#completeDraft(link, id, content) : [];
      const { value: read } = await attemptCall(() => this.#detail(kind, link, site, id));
      if (!read)
        return { id, ...written, ...(exact && { status: null }), content: null, warnings: [...warnings, UNREAD] };
      const stored = read.content;
      return {
        id,
        status: stored.status,
        link: read.entry?.link ?? written.link,
        content: stored,
        warnings: [...warnings, ...editWarningsOf(content, stored)],
      };
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
        await this.#executePlan(link, { kind, id, type: before.type }, planEdit(before, patch));
        await this.#log(
          site,
          `${kind}.updated`,
          `The ${kind} ${id} was changed.`,
          actor,
          describeContentEdit(before, patch),
        );
        const content = { ...(await this.#content(kind, link, id)), lock: before.lock };
        const detail = await this.#withEntry(link, site, content);
        return { detail, warnings: editWarningsOf(patch, content, before) };
      } finally {
        await this.#lock.release(link, before);
      }
    });
  }

  /** Returns the new status, or null if the post was deleted permanently. */
  changeStatus({ kind, siteId, id }: ContentRef, action: ContentAction, actor: string): Promise<string | null> {
    return this.#runExclusive(siteId, id, async (link, site) => {
      const { child } = this.#deps;
      const before = await this.#findEntry(kind, link, id);
      if (action === 'restore' && before.status !== 'trash')
        throw new ConflictError('svc_post_invalid_state', 'The content is not in the trash, so it cannot be restored.');
      if (before.status === RESULT_STATUS[action]) return before.status;
      await child.checkEditLock(link, id);
      const status = await proveStatus(action, {
        send: async () => {
          if (!(await child.contentAction(link, id, action))) throw contentNotFound(kind);
        },
        read: async () => ({ status: (await child.contentEntry(link, id, before.type))?.status ?? null }),
      });
      const thing = {
        name: before.title,
        key: id,
        before: { status: before.status },
        after: omitEmptyValues({ status }),
      };
      await this.#log(
        site,
        `${kind}.${ACTION_WORDS[action]}`,
        `The ${kind} ${id} was ${ACTION_WORDS[action]}.`,
        actor,
        thing,
      );
      return status;
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

  async #executePlan(
    link: ChildLink,
    { kind, id, type }: { kind: ContentKind; id: number; type: string },
    { rewrite, fields, resetCategories, customFields, action }: EditPlan,
  ): Promise<void> {
    const { child } = this.#deps;
    if (rewrite) await child.rewriteContent(link, id, rewrite, await this.#author(link, id, type));
    const there =
      (!fields || (await child.updateContent(link, id, fields, resetCategories))) &&
      (!customFields || (await child.updateCustomFields(link, id, customFields))) &&
      (!action || (await child.contentAction(link, id, action)));
    if (!there) throw contentNotFound(kind);
  }

  /**
   * Returns the login of the author. Lists contain only the nice name. Without the login, writing the whole post would
   * assign it to the connected administrator.
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
    const content = await this.#lock.read(link, id);
    if (!content || !isOfKind(kind, content.type)) throw contentNotFound(kind);
    return this.#withEntry(link, site, content);
  }

  async #content(kind: ContentKind, link: ChildLink, id: number): Promise<Content> {
    const content = await this.#deps.child.readContent(link, id);
    if (!content) throw contentNotFound(kind);
    return content;
  }

  async #withEntry(link: ChildLink, site: SiteWithUrlKey, content: Content): Promise<ContentDetail> {
    const entry = await this.#deps.child.contentEntry(link, content.id, content.type);
    return { site, content, entry, editor: this.#lock.activeLock(content) };
  }

  async #log(
    site: SiteWithUrlKey,
    type: string,
    description: string,
    actor: string,
    thing: ChangedObject,
  ): Promise<void> {
    const { knex, changeLog } = this.#deps;
    await inTransaction(knex, ({ trx }) => changeLog.append(trx, { siteId: site.id, type, description, actor, thing }));
  }
}

/**
 * Compares the stored content with the requested one. The child plugin reports no error if it cannot fetch an image.
 */
function editWarningsOf(wanted: ContentPatch, stored: Content, before?: Content): string[] {
  const failed = wanted.featuredImage && stored.featuredImage === null;
  return [...(failed ? [IMAGE_FAILED] : []), ...alteredTextWarnings(wanted, stored, before)];
}

const IMAGE_FAILED = 'The site could not fetch the featured image.';
const UNREAD = 'The content was created, but could not be read afterwards.';
const UNFINISHED = 'The content was created as a draft, but a later step failed';
