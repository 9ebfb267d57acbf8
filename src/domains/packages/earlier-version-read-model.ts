import type { Knex } from 'knex';
import { fromJson } from '../../db/json.ts';
import { compareVersions } from '../vulnerabilities/index.ts';
import type { PackageKind } from './package.ts';

interface VersionChangeRow {
  old_values: string | null;
  new_values: string | null;
}

const SEARCHED = 50;

export class EarlierVersionReadModel {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Finds the newest change log entry that installed the current version. Returns the version before it, or null. */
  async find(siteId: number, kind: PackageKind, item: { slug: string; version: string }): Promise<string | null> {
    const rows = await this.#knex('changes')
      .where({ site_id: siteId, object_key: item.slug })
      .whereIn('type', [`${kind}.updated`, `${kind}.installed`])
      .orderBy('id', 'desc')
      .limit(SEARCHED)
      .select<VersionChangeRow[]>('old_values', 'new_values');
    for (const { old_values, new_values } of rows) {
      const [before, after] = [versionIn(old_values), versionIn(new_values)];
      if (before !== null && after === item.version && compareVersions(before, after) < 0) return before;
    }
    return null;
  }
}

const versionIn = (values: string | null): string | null => {
  const version = fromJson<{ version?: unknown }>(values)?.version;
  return typeof version === 'string' && version !== '' ? version : null;
};
