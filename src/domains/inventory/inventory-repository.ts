import type { Knex } from 'knex';
import { inventoryOf, protectionOfPlugin, protectionOfTheme, type Inventory, type ItemKind } from './inventory.ts';

interface InstalledPluginRow {
  slug: string;
  name: string;
  version: string;
  active: number;
  must_use: number;
  is_child: number;
}

interface ThemeRow {
  slug: string;
  name: string;
  version: string;
  active: number;
  parent_of_active: number;
}

export class InventoryRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  installed(siteId: number, kind: ItemKind): Promise<Inventory> {
    return kind === 'plugin' ? this.#plugins(siteId) : this.#themes(siteId);
  }

  async #plugins(siteId: number): Promise<Inventory> {
    const rows = await this.#db('site_plugins')
      .where({ site_id: siteId })
      .select<InstalledPluginRow[]>('slug', 'name', 'version', 'active', 'must_use', 'is_child');
    return inventoryOf(
      rows.map(({ slug, name, version, active, must_use, is_child }) => ({
        slug,
        name,
        version,
        active: active === 1,
        protection: protectionOfPlugin({ mustUse: must_use === 1, isChildPlugin: is_child === 1 }),
      })),
    );
  }

  async #themes(siteId: number): Promise<Inventory> {
    const rows = await this.#db('site_themes')
      .where({ site_id: siteId })
      .select<ThemeRow[]>('slug', 'name', 'version', 'active', 'parent_of_active');
    return inventoryOf(
      rows.map(({ slug, name, version, active, parent_of_active }) => ({
        slug,
        name,
        version,
        active: active === 1,
        protection: protectionOfTheme({ active: active === 1, parentOfActive: parent_of_active === 1 }),
      })),
    );
  }
}
