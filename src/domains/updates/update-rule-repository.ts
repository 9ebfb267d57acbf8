import type { Knex } from 'knex';
import { readOfIds } from '../../db/prepared.ts';
import { groupBy } from '../../shared/group-by.ts';
import { UpdateRules, type OfferedVersion, type UpdateRule } from './left-out.ts';
import type { LeftOut, UpdateType, PinOfItem } from './update.ts';

interface ItemRow {
  site_id: number;
  type: UpdateType;
  slug: string;
}

interface RuleRow extends ItemRow {
  /** Null if updates are ignored. A text on MySQL, because the union begins with `null as pin_id`, without a type. */
  pin_id: number | string | null;
  version: string | null;
}

const itemKeyOf = ({ site_id, type, slug }: ItemRow): string => `${site_id} ${type} ${slug}`;

const rulesSql = (sites: string): string => `
  select site_id, type, slug, null as pin_id, null as version from ignored_updates where site_id in (${sites})
  union all select site_id, type, slug, id as pin_id, version from version_pins where site_id in (${sites})`;

const toRule = ({ type, slug, pin_id: id, version }: RuleRow): UpdateRule => ({
  type,
  slug,
  pin: id === null || version === null ? null : { id: Number(id), version },
});

export class UpdateRuleRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(siteId: number, hold?: (update: OfferedVersion) => LeftOut | null): Promise<UpdateRules> {
    return new UpdateRules((await this.#rulesOf([siteId])).get(siteId)?.map(toRule) ?? [], hold);
  }

  async ofSites(siteIds: readonly number[]): Promise<(siteId: number) => UpdateRules> {
    const rules = await this.#rulesOf(siteIds);
    return (siteId) => new UpdateRules(rules.get(siteId)?.map(toRule) ?? []);
  }

  async #rulesOf(siteIds: readonly number[]): Promise<Map<number, RuleRow[]>> {
    const rows = await readOfIds<RuleRow>(this.#db, siteIds, rulesSql, (ids) => [...ids, ...ids]);
    return groupBy(rows, ({ site_id: siteId }) => siteId);
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
