import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeletionCount, DeletionEffects, DeletionViewer } from '../../shared/deletion-effects.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { checkedName } from '../../shared/text.ts';
import type { ChangeLog } from '../changes/index.ts';
import { CostTargetRepository } from '../costs/index.ts';
import { countDeletionEffects, refuseSitesOutside } from '../sites/index.ts';
import {
  checkedColor,
  type NewTag,
  type Tag,
  type TagDetail,
  type TagFilter,
  type TagOrder,
  type TagPatch,
} from './tag.ts';
import { TagReadModel } from './tag-read-model.ts';
import { TagRepository } from './tag-repository.ts';

export interface TagServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  deletionCounts: () => readonly DeletionCount[];
}

export class TagService {
  readonly #deps: TagServiceDeps;
  readonly #tags: TagReadModel;

  constructor(deps: TagServiceDeps) {
    this.#deps = deps;
    this.#tags = new TagReadModel(deps.knex);
  }

  get(scope: SiteScope, id: number): Promise<TagDetail> {
    return this.#tags.get(scope, id);
  }

  name(scope: SiteScope, id: number): Promise<string> {
    return this.#tags.name(scope, id);
  }

  /** Ignores case. Throws `svc_tag_not_found`. */
  idOf(scope: SiteScope, name: string): Promise<number> {
    return this.#tags.idOf(scope, name);
  }

  idsOf(scope: SiteScope, refs: readonly string[]): Promise<number[]> {
    return Promise.all(
      refs.map(async (ref) =>
        /^\d+$/.test(ref) ? (await this.name(scope, Number(ref)), Number(ref)) : this.idOf(scope, ref),
      ),
    );
  }

  list(scope: SiteScope, filter: TagFilter, request: PageRequest, order?: TagOrder): Promise<Page<Tag>> {
    return this.#tags.list(scope, filter, request, order);
  }

  async listDetailed(
    scope: SiteScope,
    filter: TagFilter,
    request: PageRequest,
    order?: TagOrder,
  ): Promise<Page<TagDetail>> {
    const page = await this.#tags.list(scope, filter, request, order);
    return { ...page, items: await this.#tags.detailed(scope, page.items) };
  }

  /** Throws `svc_already_exists` if another tag has the name. Upper and lower case count as equal. */
  async create(input: NewTag, actor: string): Promise<TagDetail> {
    const { knex, clock } = this.#deps;
    const tag = { name: checkedName(input.name), color: checkedColor(input.color ?? null) };
    const id = await inTransaction(knex, async ({ trx }) => {
      const inserted = await new TagRepository(trx, clock.now()).insert(tag);
      const thing = describeChangedObject({ name: tag.name, key: inserted }, null, tag);
      await this.#log(trx, 'tag.added', `Added the tag ${tag.name}.`, actor, thing);
      await bumpRevision(trx, 'tags');
      return inserted;
    });
    return this.#tags.get(ALL_SITES, id);
  }

  /**
   * Writes nothing if no value changes. Throws `svc_tag_not_found`, and `svc_already_exists` if another tag has the
   * name. Throws `svc_outside_limits` for a change of a tag that has sites outside the scope.
   */
  async update(
    scope: SiteScope,
    id: number,
    patch: TagPatch,
    actor: string,
    precondition?: Precondition<TagDetail>,
  ): Promise<TagDetail> {
    const { knex, clock } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const repository = new TagRepository(trx, clock.now());
      const stored = await repository.lock(scope, id);
      const tags = new TagReadModel(trx);
      const outside = await tags.countOutside(scope, id);
      precondition?.(await tags.get(scope, id));
      const name = patch.name === undefined ? stored.name : checkedName(patch.name);
      const color = patch.color === undefined ? stored.color : checkedColor(patch.color);
      const edited = [...(name === stored.name ? [] : ['name']), ...(color === stored.color ? [] : ['color'])];
      if (edited.length === 0) return;
      refuseSitesOutside('tag', outside);
      await repository.update(id, { name, color });
      const thing = describeChangedObject({ name, key: id }, loggedTag(stored), { name, color });
      await this.#log(trx, 'tag.updated', `Changed ${edited.join(', ')} of the tag ${name}.`, actor, thing);
      await bumpRevision(trx, 'tags');
    });
    return this.#tags.get(scope, id);
  }

  /** Throws `svc_tag_not_found` and `svc_outside_limits`. */
  async previewDelete(viewer: DeletionViewer, id: number): Promise<{ tag: Tag; effects: DeletionEffects<'tag'> }> {
    const tag = await this.#tags.get(viewer.sites, id);
    refuseSitesOutside('tag', await this.#tags.countOutside(viewer.sites, id));
    const { knex, deletionCounts } = this.#deps;
    return { tag, effects: await countDeletionEffects(knex, viewer, deletionCounts(), 'tag', id) };
  }

  /**
   * Deletes a tag, and removes it from its sites and from costs. Throws `svc_tag_not_found`, and `svc_outside_limits`
   * for a tag that has sites outside the scope.
   */
  async delete(
    scope: SiteScope,
    id: number,
    actor: string,
    precondition?: Precondition<TagDetail>,
  ): Promise<TagDetail> {
    const { knex, clock } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new TagRepository(trx, clock.now());
      await repository.lock(scope, id);
      const tags = new TagReadModel(trx);
      const tag = await tags.get(scope, id);
      precondition?.(tag);
      refuseSitesOutside('tag', await tags.countOutside(scope, id));
      await new CostTargetRepository(trx).remove('tag', id);
      await repository.delete(id);
      const thing = describeChangedObject({ name: tag.name, key: id }, loggedTag(tag), null);
      await this.#log(trx, 'tag.deleted', `Deleted the tag ${tag.name}.`, actor, thing);
      // Lists of sites can be filtered by tag, so their revision changes too.
      await bumpRevision(trx, 'tags', 'sites');
      return tag;
    });
  }

  #log(trx: Knex.Transaction, type: string, description: string, actor: string, thing: ChangedObject): Promise<void> {
    return this.#deps.changeLog.append(trx, { siteId: null, type, description, actor, thing });
  }
}

const loggedTag = ({ name, color }: Pick<Tag, 'name' | 'color'>) => ({ name, color });
