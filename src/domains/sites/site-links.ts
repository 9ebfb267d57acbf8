import type { Knex } from 'knex';
import type { ChildLink, ChildSite, ChildTarget, KeyPair } from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';

interface SecretsRow {
  site_id: number;
  server: string;
  key_id: string | null;
  private_key: string | null;
  pending_key_id: string | null;
  pending_private_key: string | null;
  pending_at: number | null;
  regverify: string | null;
  unique_id: string | null;
  http_user: string | null;
  http_pass: string | null;
  /** 1 verify, 0 do not, null as the setting says. */
  ssl_verify: number | null;
}

export interface NewSecrets {
  server: string;
  uniqueId: string | null;
  httpAuth: { user: string; pass: string } | null;
  sslVerify: boolean | null;
}

const COLUMNS = [
  'site_secrets.site_id',
  'site_secrets.server',
  'site_secrets.key_id',
  'site_secrets.private_key',
  'site_secrets.pending_key_id',
  'site_secrets.pending_private_key',
  'site_secrets.pending_at',
  'site_secrets.regverify',
  'site_secrets.unique_id',
  'site_secrets.http_user',
  'site_secrets.http_pass',
  'site_secrets.ssl_verify',
] as const;

/** A registration under way may hold its pending pair this long; an older one was interrupted. */
const REGISTRATION_MAY_TAKE = 3 * MINUTE;

/** How to reach a site and in whose name; the key is another matter. */
export interface SiteAccess {
  target: ChildTarget;
  admin: string;
  server: string;
  uniqueId: string | null;
  regverify: string | null;
}

/**
 * Keys and secrets of sites. They are sealed for their row, opened for one call, and never listed.
 *
 * A new key pair is stored as pending before the child hears of it, and the old one stays: after a crash or a lost answer the
 * pending key is tried with a signed call, then the old one, and the one that works is kept.
 */
export class SiteLinks {
  readonly #knex: Knex;
  readonly #sealing: Sealing;
  readonly #child: ChildSite;
  readonly #clock: Clock;
  readonly #verifyByDefault: () => boolean;

  constructor(parts: { knex: Knex; sealing: Sealing; child: ChildSite; clock: Clock; verifyByDefault: () => boolean }) {
    this.#knex = parts.knex;
    this.#sealing = parts.sealing;
    this.#child = parts.child;
    this.#clock = parts.clock;
    this.#verifyByDefault = parts.verifyByDefault;
  }

  async insert(trx: Knex.Transaction, siteId: number, secrets: NewSecrets): Promise<void> {
    await trx('site_secrets').insert({
      site_id: siteId,
      server: secrets.server,
      unique_id: this.#sealing.sealOptional(secrets.uniqueId, place('unique_id', siteId)),
      http_user: secrets.httpAuth?.user ?? null,
      http_pass: this.#sealing.sealOptional(secrets.httpAuth?.pass ?? null, place('http_pass', siteId)),
      ssl_verify: secrets.sslVerify === null ? null : Number(secrets.sslVerify),
    });
  }

  /** Stores a pair that the child is about to hear of. */
  async storePending(db: Knex, siteId: number, pair: KeyPair): Promise<void> {
    await db('site_secrets')
      .where({ site_id: siteId })
      .update({
        pending_key_id: pair.keyId,
        pending_private_key: this.#sealing.seal(pair.privateKeyPem, place('private_key', siteId)),
        pending_at: this.#clock.now(),
      });
  }

  /** The child accepted this pair: it is the key from now on. */
  async promote(
    db: Knex,
    siteId: number,
    pair: Pick<KeyPair, 'keyId' | 'privateKeyPem'>,
    granted: { regverify: string | null; uniqueId: string | null } | null,
  ): Promise<void> {
    await db('site_secrets')
      .where({ site_id: siteId })
      .update({
        key_id: pair.keyId,
        private_key: this.#sealing.seal(pair.privateKeyPem, place('private_key', siteId)),
        pending_key_id: null,
        pending_private_key: null,
        pending_at: null,
        ...(granted?.regverify ? { regverify: this.#sealing.seal(granted.regverify, place('regverify', siteId)) } : {}),
        ...(granted ? { unique_id: this.#sealing.sealOptional(granted.uniqueId, place('unique_id', siteId)) } : {}),
      });
  }

  /** The child certainly refused this pair. */
  async dropPending(siteId: number, keyId: string): Promise<void> {
    await this.#knex('site_secrets')
      .where({ site_id: siteId, pending_key_id: keyId })
      .update({ pending_key_id: null, pending_private_key: null, pending_at: null });
  }

  async access(siteId: number): Promise<SiteAccess> {
    return this.#accessOf(await this.#read(siteId));
  }

  /** A link with the key that the child accepts, as far as is known; settles what an interrupted registration left. */
  async link(siteId: number): Promise<ChildLink> {
    const row = await this.#read(siteId);
    if (row.pending_key_id !== null && this.#clock.now() - (row.pending_at ?? 0) > REGISTRATION_MAY_TAKE)
      return this.settlePending(siteId);
    return this.#linkOf(row);
  }

  /** Tries the pending key, then the old one, and keeps the one that works. */
  async settlePending(siteId: number): Promise<ChildLink> {
    const row = await this.#read(siteId);
    if (row.pending_key_id === null || row.pending_private_key === null) return this.#linkOf(row);
    const pair = {
      keyId: row.pending_key_id,
      privateKeyPem: this.#sealing.open(row.pending_private_key, place('private_key', siteId)),
    };
    const pending = this.linkWith(this.#accessOf(row), pair);
    if (await this.#child.verifyKey(pending)) {
      await this.promote(this.#knex, siteId, pair, null);
      return pending;
    }
    const old = this.#linkOf(row);
    if (await this.#child.verifyKey(old)) await this.dropPending(siteId, pair.keyId);
    return old;
  }

  linkWith(access: SiteAccess, pair: Pick<KeyPair, 'keyId' | 'privateKeyPem'>): ChildLink {
    return { ...access.target, admin: access.admin, server: access.server, ...pair };
  }

  #linkOf(row: SecretsRow & AddressRow): ChildLink {
    if (row.key_id === null || row.private_key === null)
      throw new ConflictError('svc_site_disconnected', 'The site was never connected; reconnect it first.');
    const privateKeyPem = this.#sealing.open(row.private_key, place('private_key', row.site_id));
    return this.linkWith(this.#accessOf(row), { keyId: row.key_id, privateKeyPem });
  }

  #accessOf(row: SecretsRow & AddressRow): SiteAccess {
    const { site_id: siteId } = row;
    const pass = this.#sealing.openOptional(row.http_pass, place('http_pass', siteId));
    return {
      target: {
        siteId,
        url: row.url,
        httpAuth: row.http_user !== null && pass !== null ? { user: row.http_user, pass } : null,
        verifyTls: row.ssl_verify === null ? this.#verifyByDefault() : row.ssl_verify === 1,
      },
      admin: row.admin_username,
      server: row.server,
      uniqueId: this.#sealing.openOptional(row.unique_id, place('unique_id', siteId)),
      regverify: this.#sealing.openOptional(row.regverify, place('regverify', siteId)),
    };
  }

  async #read(siteId: number): Promise<SecretsRow & AddressRow> {
    const row = await this.#knex('site_secrets')
      .join('sites', 'sites.id', 'site_secrets.site_id')
      .join('site_states', 'site_states.site_id', 'site_secrets.site_id')
      .where('site_secrets.site_id', siteId)
      .first<(SecretsRow & AddressRow) | undefined>(...COLUMNS, 'sites.url', 'site_states.admin_username');
    if (!row) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    return row;
  }
}

interface AddressRow {
  url: string;
  admin_username: string;
}

/** A pending key is sealed as the private key that it may become, so that promoting it could move the text alone. */
const place = (column: string, siteId: number): string => `site_secrets.${column}:${siteId}`;
