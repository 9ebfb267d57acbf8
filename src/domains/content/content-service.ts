import type { Knex } from 'knex';
import type { ChildLink, ChildSite } from '../../connector/child-site.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ChildBadAnswerError, ConflictError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { FanOut, SelectedSites, Outcomes, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import { SiteTurns, type KeyedSite, type SiteCalls, type SiteReferences } from '../sites/index.ts';
import { checkContent, queryOf } from './content-checks.ts';
import {
  isOfKind,
  notFound,
  type ContentAction,
  type ContentDetail,
  type ContentEntry,
  type ContentFilter,
  type ContentKind,
  type ContentPatch,
  type NewContent,
} from './content.ts';
import { planEdit, type EditPlan } from './edit-plan.ts';

export interface ContentServiceParts {
  knex: Knex;
  child: ChildSite;
  calls: SiteCalls;
  references: SiteReferences;
  selector: SiteSelector;
  fanOut: FanOut;
  changeLog: ChangeLog;
}

/** Where a post or page is, and who asks. */
export interface ContentPlace {
  kind: ContentKind;
  /** ID or domain of the site. */
  site: string;
  id: number;
}

export interface CreatedContent {
  id: number;
  status: string | null;
  link: string | null;
  warnings: string[];
}

/** What each action makes of a post; the others depend on what it was, or leave nothing. */
const RESULT: Partial<Record<ContentAction, string>> = { publish: 'publish', unpublish: 'draft', trash: 'trash' };
const DONE: Record<ContentAction, string> = {
  publish: 'published',
  unpublish: 'unpublished',
  trash: 'trashed',
  restore: 'restored',
  delete: 'deleted',
};

/**
 * Posts and pages of the sites. Nothing of them is stored here: each call asks the site, and what is answered after a change
 * has been read back.
 */
export class ContentService {
  readonly #parts: ContentServiceParts;
  readonly #turns = new SiteTurns();

  constructor(parts: ContentServiceParts) {
    this.#parts = parts;
  }

  async list(
    kind: ContentKind,
    selection: SiteSelection,
    filter: ContentFilter,
  ): Promise<{ selected: SelectedSites; outcomes: Outcomes<ContentEntry[]> }> {
    const { selector, fanOut, child } = this.#parts;
    const query = queryOf(kind, filter);
    const selected = await selector.select(selection);
    return { selected, outcomes: fanOut.ask(selected.sites, (link) => child.listContent(link, query)) };
  }

  async get({ kind, site: ref, id }: ContentPlace): Promise<ContentDetail> {
    const site = await this.#parts.references.one(ref);
    return this.#parts.calls.run(site.id, (link) => this.#detail(kind, link, site, id));
  }

  async create(kind: ContentKind, ref: string, content: NewContent, actor: string): Promise<CreatedContent> {
    checkContent(content);
    return this.#changing(ref, async (link, site) => {
      const { sticky, ...rest } = content;
      const whole = { ...rest, ...(sticky && { sticky }), type: kind };
      const written = await this.#parts.child.createContent(link, whole);
      await this.#log(site, `${kind}.created`, `The ${kind} ${written.id} was created.`, actor);
      return { ...written, warnings: content.featuredImage ? await this.#imageWarnings(link, written.id) : [] };
    });
  }

  /** Changes the fields that are sent and no other. One edit of a site at a time, for one may write back what it has read. */
  async edit(
    { kind, site: ref, id }: ContentPlace,
    patch: ContentPatch,
    actor: string,
  ): Promise<{ detail: ContentDetail; warnings: string[] }> {
    checkContent(patch);
    return this.#changing(ref, (link, site) =>
      this.#turns.take(site.id, async () => {
        const before = await this.#parts.child.readContent(link, id);
        if (!before || !isOfKind(kind, before.type)) throw notFound(kind);
        await this.#carryOut(link, { kind, id, type: before.type }, planEdit(before, patch));
        await this.#log(site, `${kind}.updated`, `The ${kind} ${id} was changed.`, actor);
        const detail = await this.#detail(kind, link, site, id);
        const failed = patch.featuredImage && detail.content.featuredImage === null;
        return { detail, warnings: failed ? [IMAGE_FAILED] : [] };
      }),
    );
  }

  /** The status that it has afterwards; null when it is gone for good. */
  changeStatus({ kind, site: ref, id }: ContentPlace, action: ContentAction, actor: string): Promise<string | null> {
    return this.#changing(ref, async (link, site) => {
      const { child } = this.#parts;
      const before = await this.#found(kind, link, id);
      if (action === 'restore' && before.status !== 'trash')
        throw new ConflictError('svc_post_invalid_state', 'It is not in the trash, so there is nothing to restore.');
      if (before.status === RESULT[action]) return before.status;
      if (!(await child.contentAction(link, id, action))) throw notFound(kind);
      await this.#log(site, `${kind}.${DONE[action]}`, `The ${kind} ${id} was ${DONE[action]}.`, actor);
      const after = await child.contentEntry(link, id, before.type);
      if (action === 'delete' && after)
        throw new ChildBadAnswerError(`The site says that it deleted the ${kind}, and still has it.`);
      return after?.status ?? null;
    });
  }

  async #changing<T>(ref: string, work: (link: ChildLink, site: KeyedSite) => Promise<T>): Promise<T> {
    const { references, calls } = this.#parts;
    const site = await references.one(ref);
    return calls.run(site.id, (link) => work(link, site));
  }

  async #carryOut(
    link: ChildLink,
    { kind, id, type }: { kind: ContentKind; id: number; type: string },
    { rewrite, fields, resetCategories, customFields, action }: EditPlan,
  ): Promise<void> {
    const { child } = this.#parts;
    if (rewrite) {
      // Without its author's name the post would go over to the connected administrator.
      const author = (await child.contentEntry(link, id, type))?.author ?? null;
      await child.rewriteContent(link, id, rewrite, author);
    }
    const there =
      (!fields || (await child.updateContent(link, id, fields, resetCategories))) &&
      (!customFields || (await child.updateCustomFields(link, id, customFields))) &&
      (!action || (await child.contentAction(link, id, action)));
    if (!there) throw notFound(kind);
  }

  /** Type and status. Lists tell them without a mark of an editor; they leave out types that cannot be searched for. */
  async #found(kind: ContentKind, link: ChildLink, id: number): Promise<{ type: string; status: string }> {
    const { child } = this.#parts;
    const found =
      (await child.contentEntry(link, id, kind === 'page' ? 'page' : 'any')) ??
      (kind === 'page' ? null : await child.readContent(link, id));
    if (!found || !isOfKind(kind, found.type)) throw notFound(kind);
    return found;
  }

  async #detail(kind: ContentKind, link: ChildLink, site: KeyedSite, id: number): Promise<ContentDetail> {
    const { child } = this.#parts;
    const content = await child.readContent(link, id);
    if (!content || !isOfKind(kind, content.type)) throw notFound(kind);
    return { site, content, entry: await child.contentEntry(link, id, content.type) };
  }

  /** The child says nothing of an image that it could not fetch. What was created stays so, whatever comes of the look. */
  async #imageWarnings(link: ChildLink, id: number): Promise<string[]> {
    const written = await this.#parts.child.readContent(link, id).catch(() => null);
    return written?.featuredImage === null ? [IMAGE_FAILED] : [];
  }

  async #log(site: KeyedSite, type: string, description: string, actor: string): Promise<void> {
    const { knex, changeLog } = this.#parts;
    await inTransaction(knex, ({ trx }) => changeLog.append(trx, { siteId: site.id, type, description, actor }));
  }
}

const IMAGE_FAILED = 'The site could not fetch the featured image.';
