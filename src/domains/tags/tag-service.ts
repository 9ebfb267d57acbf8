import type { Knex } from 'knex';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { ChangeLog } from '../changes/index.ts';
import { checkedColor, checkedName, type NewTag, type Tag } from './tag.ts';
import { TagReadModel } from './tag-read-model.ts';
import { TagRepository } from './tag-repository.ts';

export interface TagServiceParts {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
}

/** What may be done to tags. Which sites carry one is kept with the sites. */
export class TagService {
  readonly #parts: TagServiceParts;
  readonly #tags: TagReadModel;

  constructor(parts: TagServiceParts) {
    this.#parts = parts;
    this.#tags = new TagReadModel(parts.knex);
  }

  /** Throws `svc_tag_not_found`. */
  get(id: number): Promise<Tag> {
    return this.#tags.get(id);
  }

  /** Throws `svc_already_exists` when another tag has the name, in any case. */
  async create(input: NewTag, actor: string): Promise<Tag> {
    const { knex, clock, changeLog } = this.#parts;
    const tag = { name: checkedName(input.name), color: checkedColor(input.color ?? null) };
    const id = await inTransaction(knex, async ({ trx }) => {
      const inserted = await new TagRepository(trx, clock.now()).insert(tag);
      const description = `Added the tag ${tag.name}.`;
      await changeLog.append(trx, { siteId: null, type: 'tag.added', description, actor });
      await bumpRevision(trx, 'tags');
      return inserted;
    });
    return this.#tags.get(id);
  }
}
