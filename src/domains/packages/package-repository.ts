import type { Knex } from 'knex';
import { isDuplicate } from '../../db/dialect.ts';
import { readCountedPage } from '../../db/counted-page.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import {
  packageNotFound,
  type NewPackage,
  type PackageFilter,
  type PackageKind,
  type PackageRef,
  type PackageSource,
  type StoredPackage,
  type Verification,
} from './package.ts';

interface PackageRow {
  id: number;
  kind: PackageKind;
  slug: string;
  version: string;
  name: string;
  main_file: string;
  sha256: string;
  source: PackageSource;
  address: string;
  source_sha256: string;
  verified_by: Verification | null;
  size: number;
  unpacked_size: number;
  file_count: number;
  requires_wordpress: string | null;
  requires_php: string | null;
  created_at: number | string;
  last_used_at: number | string;
}

const COLUMNS = [
  'id',
  'kind',
  'slug',
  'version',
  'name',
  'main_file',
  'sha256',
  'source',
  'address',
  'source_sha256',
  'verified_by',
  'size',
  'unpacked_size',
  'file_count',
  'requires_wordpress',
  'requires_php',
  'created_at',
  'last_used_at',
] as const;

const toPackage = (row: PackageRow): StoredPackage => ({
  id: row.id,
  kind: row.kind,
  slug: row.slug,
  version: row.version,
  name: row.name,
  mainFile: row.main_file,
  sha256: row.sha256,
  source: row.source,
  address: row.address || null,
  sourceSha256: row.source_sha256,
  verifiedBy: row.verified_by,
  size: row.size,
  unpackedSize: row.unpacked_size,
  fileCount: row.file_count,
  requiresWordpress: row.requires_wordpress,
  requiresPhp: row.requires_php,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
});

export class PackageRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  page(filter: PackageFilter, request: PageRequest): Promise<Page<StoredPackage>> {
    const chosen = (): Knex.QueryBuilder => this.#db('packages').where(filter);
    const toItems = (rows: PackageRow[]): StoredPackage[] => rows.map(toPackage);
    return readCountedPage({ chosen, orderBy: ['slug', 'kind', 'id'], columns: COLUMNS, toItems }, request);
  }

  async get(id: number): Promise<StoredPackage> {
    const row = await this.#db<PackageRow>('packages')
      .where({ id })
      .first(...COLUMNS);
    if (!row) throw packageNotFound();
    return toPackage(row);
  }

  async find({ kind, slug, version }: PackageRef): Promise<StoredPackage | null> {
    const row = await this.#db<PackageRow>('packages')
      .where({ kind, slug, version })
      .first(...COLUMNS);
    return row ? toPackage(row) : null;
  }

  async finder(refs: readonly PackageRef[]): Promise<(ref: PackageRef) => StoredPackage | null> {
    const rows = await this.#db('packages')
      .whereIn('slug', [...new Set(refs.map(({ slug }) => slug))])
      .select<PackageRow[]>(...COLUMNS);
    const keyOf = ({ kind, slug, version }: PackageRef): string => `${kind} ${slug} ${version}`;
    const stored = new Map(rows.map((row) => [keyOf(row), toPackage(row)]));
    return (ref) => stored.get(keyOf(ref)) ?? null;
  }

  /** Returns null if another process has stored the same version. */
  async insert(added: NewPackage, now: number): Promise<number | null> {
    try {
      const [id] = await this.#db('packages').insert({
        kind: added.kind,
        slug: added.slug,
        version: added.version,
        name: added.name,
        main_file: added.mainFile,
        sha256: added.sha256,
        source: added.source,
        address: added.address ?? '',
        source_sha256: added.sourceSha256,
        verified_by: added.verifiedBy,
        size: added.size,
        unpacked_size: added.unpackedSize,
        file_count: added.fileCount,
        requires_wordpress: added.requiresWordpress,
        requires_php: added.requiresPhp,
        created_at: now,
        last_used_at: now,
      });
      return id ?? null;
    } catch (error) {
      if (isDuplicate(error)) return null;
      throw error;
    }
  }

  async touch(id: number, now: number): Promise<boolean> {
    return (await this.#db('packages').where({ id }).update({ last_used_at: now })) === 1;
  }

  async setHash(id: number, sha256: string): Promise<void> {
    await this.#db('packages').where({ id }).update({ sha256 });
  }

  async setVerifiedBy(id: number, verifiedBy: NonNullable<StoredPackage['verifiedBy']>): Promise<void> {
    await this.#db('packages').where({ id }).update({ verified_by: verifiedBy });
  }

  async delete(id: number): Promise<boolean> {
    return (await this.#db('packages').where({ id }).delete()) === 1;
  }

  async deleteUnused(id: number, before: number): Promise<boolean> {
    return (await this.#db('packages').where({ id }).where('last_used_at', '<', before).delete()) === 1;
  }

  async hashes(): Promise<Set<string>> {
    return new Set(await this.#db('packages').pluck<string[]>('sha256'));
  }

  async usage(): Promise<{ count: number; bytes: number }> {
    const row = await this.#db('packages')
      .count({ count: '*' })
      .sum({ bytes: 'size' })
      .first<{ count: number | string; bytes: number | string | null } | undefined>();
    return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
  }

  async unused(before: number, most: number): Promise<StoredPackage[]> {
    const rows = await this.#db('packages')
      .where({ source: 'directory' })
      .where('last_used_at', '<', before)
      .orderBy(['last_used_at', 'id'])
      .limit(most)
      .select<PackageRow[]>(...COLUMNS);
    return rows.map(toPackage);
  }
}
