import type { Knex } from 'knex';
import { chunks } from '../../db/chunks.ts';
import { fromJson } from '../../db/json.ts';
import { limitToActiveVersions } from './feed-generation-repository.ts';
import type { ItemType } from './vulnerability.ts';
import { compareVersions, isAffected, type VersionRange } from './versions.ts';

/** Columns of an exposure. `slug` is the slug in feeds. */
export interface FixableExposure {
  vulnerability_id: number;
  type: ItemType;
  slug: string;
  fixed_in: string;
}

export type FixJudge = (exposure: FixableExposure, version: string) => boolean;

export class FixedVersionsReadModel {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /**
   * Returns a function that is true if a version has the fix. A version above a fixed one can still be vulnerable: if
   * 1.2.4 and 2.0.3 are the fixed versions, 2.0.1 is vulnerable.
   */
  async judge(exposures: readonly FixableExposure[]): Promise<FixJudge> {
    const ids = [...new Set(exposures.map(({ vulnerability_id: id }) => id))];
    const affected = new Map<string, VersionRange[]>();
    for (const some of chunks(ids)) {
      const versions = this.#db('vulnerable_versions')
        .join('vulnerabilities', 'vulnerabilities.id', 'vulnerable_versions.vulnerability_id')
        .whereIn('vulnerability_id', some);
      const rows = await limitToActiveVersions(versions).select<(SoftwareOfRecord & { ranges: string })[]>(
        ...(['vulnerability_id', 'type', 'slug', 'ranges'] as const),
      );
      for (const row of rows) affected.set(keyOf(row), fromJson<VersionRange[]>(row.ranges) ?? []);
    }
    return (exposure, version) =>
      compareVersions(version, exposure.fixed_in) >= 0 && !isAffected(version, affected.get(keyOf(exposure)) ?? []);
  }
}

type SoftwareOfRecord = Pick<FixableExposure, 'vulnerability_id' | 'type' | 'slug'>;

const keyOf = ({ vulnerability_id: id, type, slug }: SoftwareOfRecord): string => `${id} ${type} ${slug}`;
