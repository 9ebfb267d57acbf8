import type { Knex } from 'knex';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { truncate } from '../../shared/text.ts';
import { whereInScope } from '../sites/index.ts';
import type { PinAutoUpdate, PinAutoUpdateState, PinnableType, VersionPin } from './version-pin.ts';

export interface VersionPinRow {
  id: number;
  site_id: number;
  type: PinnableType;
  slug: string;
  name: string;
  version: string;
  note: string;
  auto_update: PinAutoUpdate;
  error_code: ItemErrorCode | null;
  error_message: string | null;
  tried_at: number | string;
  created_at: number | string;
  created_by: string;
  updated_at: number | string;
}

export const PIN_COLUMNS = [
  ...(['id', 'site_id', 'type', 'slug', 'name', 'version', 'note', 'auto_update', 'error_code'] as const),
  ...(['error_message', 'tried_at', 'created_at', 'created_by', 'updated_at'] as const),
] as const;

const MAX_MESSAGE = 500;
const MAX_ACTOR = 255;

export const toVersionPin = (row: VersionPinRow): VersionPin => ({
  id: row.id,
  siteId: row.site_id,
  type: row.type,
  slug: row.slug,
  name: row.name,
  version: row.version,
  note: row.note,
  autoUpdate: {
    state: row.auto_update,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    triedAt: Number(row.tried_at),
  },
  createdAt: Number(row.created_at),
  createdBy: row.created_by,
  updatedAt: Number(row.updated_at),
});

export interface NewVersionPin extends Pick<VersionPin, 'type' | 'slug' | 'name' | 'version' | 'note' | 'createdBy'> {
  site: { id: number; urlKey: string };
}

export class VersionPinRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  slugs(siteId: number, type: PinnableType): Promise<string[]> {
    return this.#db('version_pins').where({ site_id: siteId, type }).orderBy('slug').pluck<string[]>('slug');
  }

  async find(siteId: number, type: PinnableType, slug: string): Promise<VersionPin | null> {
    return this.#first({ site_id: siteId, type, slug });
  }

  async findById(scope: SiteScope, id: number): Promise<VersionPin | null> {
    const query = this.#db('version_pins').where('version_pins.id', id);
    whereInScope(this.#db, query, scope, 'version_pins.site_id');
    const row = await query.first<VersionPinRow | undefined>(PIN_COLUMNS.map((column) => `version_pins.${column}`));
    return row ? toVersionPin(row) : null;
  }

  async pendingOf(siteId: number): Promise<VersionPin[]> {
    const pending = { site_id: siteId, auto_update: 'pending' };
    const rows = await this.#db('version_pins')
      .where(pending)
      .orderBy('id')
      .select<VersionPinRow[]>(...PIN_COLUMNS);
    return rows.map(toVersionPin);
  }

  async insert({ site, createdBy, ...pin }: NewVersionPin, now: number): Promise<number> {
    const [id] = await this.#db('version_pins').insert({
      ...pin,
      site_id: site.id,
      site_key: site.urlKey,
      auto_update: 'pending',
      tried_at: now,
      created_at: now,
      created_by: truncate(createdBy, MAX_ACTOR),
      updated_at: now,
    });
    return id as number;
  }

  async update(id: number, fields: Pick<VersionPin, 'version' | 'note'>, now: number): Promise<void> {
    await this.#db('version_pins')
      .where({ id })
      .update({ ...fields, updated_at: now });
  }

  async storeAutoUpdate(id: number, { state, error, triedAt }: PinAutoUpdateState): Promise<void> {
    await this.#db('version_pins')
      .where({ id })
      .update({
        auto_update: state,
        error_code: error?.code ?? null,
        error_message: error && truncate(error.message, MAX_MESSAGE),
        tried_at: triedAt,
      });
  }

  async rename(siteId: number, type: PinnableType, slug: string, newSlug: string): Promise<void> {
    await this.#db('version_pins')
      .where({ site_id: siteId, type, slug })
      .update({ slug: newSlug, auto_update: 'pending', error_code: null, error_message: null });
  }

  async delete(siteId: number, type: PinnableType, slugs: readonly string[]): Promise<void> {
    await this.#db('version_pins').where({ site_id: siteId, type }).whereIn('slug', slugs).delete();
  }

  async #first(where: Partial<VersionPinRow>): Promise<VersionPin | null> {
    const row = await this.#db('version_pins')
      .where(where)
      .first<VersionPinRow | undefined>(...PIN_COLUMNS);
    return row ? toVersionPin(row) : null;
  }
}
