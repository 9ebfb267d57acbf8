import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { fromJson, toJson } from '../../db/json.ts';
import type { PresentedCertificate } from '../../outbound/outbound.ts';

const CHANGED_PARTS = ['issuer', 'key'] as const;
export type ChangedPart = (typeof CHANGED_PARTS)[number];

export interface SeenCertificate {
  siteId: number;
  certificate: PresentedCertificate;
  changed: readonly ChangedPart[];
  firstSeenAt: number;
  lastSeenAt: number;
}

type CertificateFactsColumn = Omit<PresentedCertificate, 'fingerprint' | 'keyFingerprint' | 'validFrom' | 'validTo'>;

export interface CertificateRow {
  site_id: number;
  fingerprint: string;
  key_fingerprint: string;
  valid_from: number | null;
  valid_to: number | null;
  facts: string;
  changed: string;
  first_seen_at: number;
  last_seen_at: number;
}

const CERTIFICATE_COLUMNS = [
  'ssl_certificates.site_id',
  'ssl_certificates.fingerprint',
  'ssl_certificates.key_fingerprint',
  'ssl_certificates.valid_from',
  'ssl_certificates.valid_to',
  'ssl_certificates.facts',
  'ssl_certificates.changed',
  'ssl_certificates.first_seen_at',
  'ssl_certificates.last_seen_at',
] as const;

type CertificateContentRow = Pick<
  CertificateRow,
  'fingerprint' | 'key_fingerprint' | 'valid_from' | 'valid_to' | 'facts'
>;

export const toCertificate = (row: CertificateContentRow): PresentedCertificate => ({
  ...(fromJson<CertificateFactsColumn>(row.facts) as CertificateFactsColumn),
  fingerprint: row.fingerprint,
  keyFingerprint: row.key_fingerprint,
  validFrom: row.valid_from,
  validTo: row.valid_to,
});

const toSeen = (row: CertificateRow): SeenCertificate => ({
  siteId: row.site_id,
  certificate: toCertificate(row),
  changed: CHANGED_PARTS.filter((part) => row.changed.split(',').includes(part)),
  firstSeenAt: Number(row.first_seen_at),
  lastSeenAt: Number(row.last_seen_at),
});

function toRow({ siteId, certificate, changed, firstSeenAt, lastSeenAt }: SeenCertificate): CertificateRow {
  const { fingerprint, keyFingerprint, validFrom, validTo, ...facts } = certificate;
  return {
    site_id: siteId,
    fingerprint,
    key_fingerprint: keyFingerprint,
    valid_from: validFrom,
    valid_to: validTo,
    facts: toJson(facts),
    changed: changed.join(','),
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
  };
}

export interface SiteCertificateIdentity {
  siteId: number;
  fingerprint: string;
}

const siteFingerprintPairs = (keys: readonly SiteCertificateIdentity[]): [number, string][] =>
  keys.map(({ siteId, fingerprint }) => [siteId, fingerprint]);

export class CertificateRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(keys: readonly SiteCertificateIdentity[]): Promise<Map<number, PresentedCertificate>> {
    if (keys.length === 0) return new Map();
    const rows = await this.#db('ssl_certificates')
      .whereIn(['site_id', 'fingerprint'], siteFingerprintPairs(keys))
      .select<CertificateRow[]>(...CERTIFICATE_COLUMNS);
    return new Map(rows.map((row) => [row.site_id, toCertificate(row)]));
  }

  async add(seen: readonly SeenCertificate[]): Promise<void> {
    if (seen.length === 0) return;
    await this.#db('ssl_certificates')
      .insert(seen.map(toRow))
      .onConflict(['site_id', 'fingerprint'])
      .merge(['last_seen_at', 'changed']);
  }

  async markSeen(keys: readonly SiteCertificateIdentity[], at: number): Promise<void> {
    if (keys.length === 0) return;
    await this.#db('ssl_certificates')
      .whereIn(['site_id', 'fingerprint'], siteFingerprintPairs(keys))
      .update({ last_seen_at: at });
  }

  count(siteId: number): Promise<number> {
    return countRows(this.#db('ssl_certificates').where({ site_id: siteId }));
  }

  async ofSite(siteId: number, offset: number, limit: number): Promise<SeenCertificate[]> {
    const rows = await this.#db('ssl_certificates')
      .where({ site_id: siteId })
      .orderBy([{ column: 'last_seen_at', order: 'desc' }, 'fingerprint'])
      .offset(offset)
      .limit(limit)
      .select<CertificateRow[]>(...CERTIFICATE_COLUMNS);
    return rows.map(toSeen);
  }

  /** Keeps the last certificate of each site, however old it is. */
  prune(before: number, most: number): Promise<number> {
    const current = this.#db('ssl_monitors')
      .select(this.#db.raw('1'))
      .whereRaw('ssl_monitors.site_id = ssl_certificates.site_id')
      .whereRaw('ssl_monitors.fingerprint = ssl_certificates.fingerprint');
    return deleteOldest(this.#db, {
      ...{ table: 'ssl_certificates', key: ['site_id', 'fingerprint'], column: 'last_seen_at', before, most },
      where: (rows) => rows.whereNotExists(current),
    });
  }
}
