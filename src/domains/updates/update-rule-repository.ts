import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { readPrepared } from '../../db/prepared.ts';
import { UpdateRules, type OfferedVersion, type UpdateRule } from './left-out.ts';
import type { LeftOut, UpdateType, PinOfItem } from './update.ts';

interface RuleRow {
  type: UpdateType;
  slug: string;
  /** Null if updates are ignored. A text on MySQL, because the union begins with `null as pin_id`, without a type. */
  pin_id: number | string | null;
  version: string | null;
}

interface ItemRow {
  site_id: number;
  type: UpdateType;
  slug: string;
}

const itemKeyOf = ({ site_id, type, slug }: ItemRow): string => `${site_id} ${type} ${slug}`;

const RULES_SQL = `select type, slug, null as pin_id, null as version from ignored_updates where site_id = ?
  union all select type, slug, id as pin_id, version from version_pins where site_id = ?`;

export class UpdateRuleRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteId: number, hold?: (update: OfferedVersion) => LeftOut | null): Promise<UpdateRules> {
    const rows = await readPrepared<RuleRow>(this.#db, RULES_SQL, [siteId, siteId]);
    return new UpdateRules(
      rows.map(({ type, slug, pin_id: id, version }) => ({
        type,
        slug,
        pin: id === null || version === null ? null : { id: Number(id), version },
      })),
      hold,
    );
  }

  async ofSites(siteIds: readonly number[]): Promise<(siteId: number) => UpdateRules> {
    const rules = new Map<number, UpdateRule[]>();
    const add = (siteId: number, rule: UpdateRule): void => {
      rules.set(siteId, [...(rules.get(siteId) ?? []), rule]);
    };
    for (const some of chunks(siteIds, IDS_A_STATEMENT)) {
      const ignored = await this.#db('ignored_updates')
        .whereIn('site_id', some)
        .select<ItemRow[]>('site_id', 'type', 'slug');
      for (const { site_id, ...place } of ignored) add(site_id, { ...place, pin: null });
      const pins = await this.#db('version_pins')
        .whereIn('site_id', some)
        .select<(ItemRow & PinOfItem)[]>('site_id', 'type', 'slug', 'id', 'version');
      for (const { site_id, type, slug, id, version } of pins) add(site_id, { type, slug, pin: { id, version } });
    }
    return (siteId) => new UpdateRules(rules.get(siteId) ?? []);
  }

  async pinsOf(items: readonly ItemRow[]): Promise<(item: ItemRow) => PinOfItem | null> {
    const siteIds = [...new Set(items.map(({ site_id }) => site_id))];
    const rows = await this.#db('version_pins')
      .whereIn('site_id', siteIds)
      .select<(ItemRow & PinOfItem)[]>('site_id', 'type', 'slug', 'id', 'version');
    const pins = new Map(rows.map(({ id, version, ...item }) => [itemKeyOf(item), { id, version }]));
    return (item) => pins.get(itemKeyOf(item)) ?? null;
  }
}
