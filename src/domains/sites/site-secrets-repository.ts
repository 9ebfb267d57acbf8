import type { Knex } from 'knex';
import type { Endpoint, KeyPair } from '../../connector/child-site.ts';
import { databaseMicroseconds } from '../../db/database-clock.ts';
import { readPrepared } from '../../db/prepared.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import type { Sealing } from '../../db/sealing.ts';
import type { SecretText } from '../../shared/secret-text.ts';
import type { HttpAuth } from './http-auth.ts';
import type { SiteWithUrlKey } from './site.ts';
import {
  CHECKPOINT_COLUMNS,
  SITE_COLUMNS,
  toCheckpoint,
  toSite,
  type ListedSiteRow,
  type CheckpointRow,
  type SyncCheckpoint,
} from './site-repository.ts';

interface SecretsRow extends ListedSiteRow, CheckpointRow {
  site_id: number;
  server: string;
  key_id: string | null;
  private_key: string | null;
  key_at: number | null;
  pending_key_id: string | null;
  pending_private_key: string | null;
  pending_at: number | null;
  pending_admin: string | null;
  regverify: string | null;
  unique_id: string | null;
  http_user: string | null;
  http_pass: string | null;
  ssl_verify: number | null;
  endpoint: 'front' | null;
  admin_username: string;
  child_version: string | null;
  rules_revision: number | string;
  database_time: number | string;
}

const COLUMNS = [
  'site_secrets.site_id',
  'site_secrets.server',
  'site_secrets.key_id',
  'site_secrets.private_key',
  'site_secrets.key_at',
  'site_secrets.pending_key_id',
  'site_secrets.pending_private_key',
  'site_secrets.pending_at',
  'site_secrets.pending_admin',
  'site_secrets.regverify',
  'site_secrets.unique_id',
  'site_secrets.http_user',
  'site_secrets.http_pass',
  'site_secrets.ssl_verify',
  'site_secrets.endpoint',
  ...SITE_COLUMNS,
  'site_states.admin_username',
  'site_states.child_version',
  ...CHECKPOINT_COLUMNS.map((column) => `site_states.${column}`),
  "(select revisions.value from revisions where revisions.name = 'settings') as rules_revision",
].join(', ');

/** Every call to a site runs this statement twice: before it waits for its turn, and when the turn begins. */
const findSql = (db: Knex): string => `select ${COLUMNS}, ${databaseMicroseconds(db)} as database_time
  from site_secrets
  join sites on sites.id = site_secrets.site_id
  join site_states on site_states.site_id = site_secrets.site_id
  where site_secrets.site_id = ?`;

type PendingKeyRow = Pick<SecretsRow, 'pending_admin' | 'pending_at'>;

type WebAccessRow = Pick<SecretsRow, 'site_id' | 'url' | 'http_user' | 'http_pass' | 'ssl_verify'>;
const WEB_COLUMNS = [
  'site_secrets.site_id',
  'sites.url',
  'site_secrets.http_user',
  'site_secrets.http_pass',
  'site_secrets.ssl_verify',
] as const;

export interface WebAccess {
  siteId: number;
  url: string;
  httpAuth: HttpAuth | null;
  sslVerify: boolean | null;
}

export interface NewSecrets {
  server: string;
  uniqueId: string | null;
  httpAuth: HttpAuth | null;
  sslVerify: boolean | null;
}

export type SecretsPatch = Partial<Omit<NewSecrets, 'server'>>;

export type IdentifiedPrivateKey = Pick<KeyPair, 'keyId' | 'privateKeyPem'>;

export interface SiteSecrets {
  site: SiteWithUrlKey;
  adminUsername: string;
  childVersion: string | null;
  server: string;
  uniqueId: string | null;
  regverify: SecretText | null;
  httpAuth: HttpAuth | null;
  sslVerify: boolean | null;
  endpoint: Endpoint;
  key: { keyId: string; privateKeyPem: SecretText; since: number | null } | null;
  pending: (IdentifiedPrivateKey & { since: number; admin: string }) | null;
  checkpoint: SyncCheckpoint;
  /** Revision of the settings, which contain the rules for calls to sites. */
  rulesRevision: number;
  /** In microseconds since 1970, by the clock of the database. */
  databaseTime: number;
}

/** Binds an encrypted value to its row and column: copied to another place, it cannot be decrypted. */
const sealContext = (column: string, siteId: number): string => `site_secrets.${column}:${siteId}`;

export class SiteSecretsRepository {
  readonly #db: Knex;
  readonly #sealing: Sealing;

  constructor(db: Knex, sealing: Sealing) {
    this.#db = db;
    this.#sealing = sealing;
  }

  async insert(siteId: number, { server, uniqueId, httpAuth, sslVerify }: NewSecrets): Promise<void> {
    const columns = this.#columns(siteId, { uniqueId, httpAuth, sslVerify });
    await this.#db('site_secrets').insert({ site_id: siteId, server, ...columns });
  }

  async patch(siteId: number, patch: SecretsPatch): Promise<void> {
    const columns = this.#columns(siteId, patch);
    if (Object.keys(columns).length > 0) await this.#db('site_secrets').where({ site_id: siteId }).update(columns);
  }

  #columns(siteId: number, { uniqueId, httpAuth, sslVerify }: SecretsPatch): Record<string, string | number | null> {
    const seal = (column: string, text: string | null): string | null =>
      this.#sealing.sealOptional(text, sealContext(column, siteId));
    return {
      ...(uniqueId === undefined ? {} : { unique_id: seal('unique_id', uniqueId) }),
      ...(httpAuth === undefined
        ? {}
        : {
            http_user: seal('http_user', httpAuth?.user ?? null),
            http_pass: seal('http_pass', httpAuth?.pass ?? null),
          }),
      ...(sslVerify === undefined ? {} : { ssl_verify: sslVerify === null ? null : Number(sslVerify) }),
    };
  }

  async find(siteId: number): Promise<SiteSecrets | null> {
    const [row] = await readPrepared<SecretsRow>(this.#db, findSql(this.#db), [siteId]);
    return row ? this.#open(row) : null;
  }

  async webAccess(siteIds: readonly number[]): Promise<WebAccess[]> {
    const rows = await this.#db('site_secrets')
      .join('sites', 'sites.id', 'site_secrets.site_id')
      .whereIn('site_secrets.site_id', [...siteIds])
      .select<WebAccessRow[]>(...WEB_COLUMNS);
    return rows.map((row) => ({
      siteId: row.site_id,
      url: row.url,
      httpAuth: this.#httpAuthOf(row),
      sslVerify: row.ssl_verify === null ? null : row.ssl_verify === 1,
    }));
  }

  /**
   * True if this is the stored key and no registration began since `since`. Locks the row, so that no registration
   * begins until the transaction ends.
   */
  async isOnlyKey(siteId: number, keyId: string, since: number): Promise<boolean> {
    const query = this.#db('site_secrets')
      .where({ site_id: siteId })
      .first<Pick<SecretsRow, 'key_id' | 'pending_at'> | undefined>('key_id', 'pending_at');
    const row: Pick<SecretsRow, 'key_id' | 'pending_at'> | undefined = await lockForUpdate(this.#db, query);
    return row !== undefined && row.key_id === keyId && Number(row.pending_at ?? 0) < since;
  }

  async storePending(siteId: number, pair: IdentifiedPrivateKey, admin: string, now: number): Promise<void> {
    await this.#db('site_secrets')
      .where({ site_id: siteId })
      .update({
        pending_key_id: pair.keyId,
        pending_private_key: this.#sealing.seal(pair.privateKeyPem, sealContext('pending_private_key', siteId)),
        pending_at: now,
        pending_admin: admin,
      });
  }

  /**
   * Makes the pending pair the key of the site, and its administrator the administrator of the site. Stores the
   * `granted` values of the child. Clears the old `regverify` if the administrator changes, because such a token is
   * valid for one administrator. A different pair that has become pending in the meantime stays pending.
   */
  async promote(
    siteId: number,
    pair: IdentifiedPrivateKey,
    granted: { regverify: string | null; uniqueId: string | null } | null,
  ): Promise<void> {
    const pending = await this.#db('site_secrets')
      .where({ site_id: siteId, pending_key_id: pair.keyId })
      .first<PendingKeyRow | undefined>('pending_admin', 'pending_at');
    const isNewAdmin = pending?.pending_admin ? await this.#adoptAdmin(siteId, pending.pending_admin) : false;
    await this.#db('site_secrets')
      .where({ site_id: siteId })
      .update({
        key_id: pair.keyId,
        private_key: this.#sealing.seal(pair.privateKeyPem, sealContext('private_key', siteId)),
        ...(pending ? { ...NOTHING_PENDING, key_at: pending.pending_at } : {}),
        ...(isNewAdmin ? { regverify: null } : {}),
        ...(granted?.regverify
          ? { regverify: this.#sealing.seal(granted.regverify, sealContext('regverify', siteId)) }
          : {}),
        ...(granted
          ? { unique_id: this.#sealing.sealOptional(granted.uniqueId, sealContext('unique_id', siteId)) }
          : {}),
      });
  }

  async #adoptAdmin(siteId: number, admin: string): Promise<boolean> {
    const states = this.#db('site_states').where({ site_id: siteId });
    const [before] = await states.clone().pluck<string[]>('admin_username');
    if (before !== admin) await states.update({ admin_username: admin });
    return before?.toLowerCase() !== admin.toLowerCase();
  }

  async storeToken(siteId: number, token: string): Promise<void> {
    await this.#db('site_secrets')
      .where({ site_id: siteId })
      .update({ regverify: this.#sealing.seal(token, sealContext('regverify', siteId)) });
  }

  async storeEndpoint(siteId: number, endpoint: Endpoint): Promise<void> {
    await this.#db('site_secrets')
      .where({ site_id: siteId })
      .update({ endpoint: endpoint === 'ajax' ? null : endpoint });
  }

  async dropPending(siteId: number, keyId: string): Promise<void> {
    await this.#db('site_secrets').where({ site_id: siteId, pending_key_id: keyId }).update(NOTHING_PENDING);
  }

  #httpAuthOf({ site_id: siteId, http_user, http_pass }: WebAccessRow): HttpAuth | null {
    const user = this.#sealing.openOptional(http_user, sealContext('http_user', siteId));
    const pass = this.#sealing.openOptional(http_pass, sealContext('http_pass', siteId));
    return user !== null && pass !== null ? { user, pass } : null;
  }

  #open(row: SecretsRow): SiteSecrets {
    const { site_id: siteId } = row;
    const open = (column: 'private_key' | 'pending_private_key' | 'regverify' | 'unique_id'): string | null =>
      this.#sealing.openOptional(row[column], sealContext(column, siteId));
    // Decrypt key and token only if needed: the parsed key is usually cached, and only error messages need the token.
    const later = (column: 'private_key' | 'regverify'): SecretText | null =>
      row[column] === null ? null : () => open(column) as string;
    const [key, pending] = [later('private_key'), open('pending_private_key')];
    return {
      site: toSite(row),
      adminUsername: row.admin_username,
      childVersion: row.child_version,
      server: row.server,
      uniqueId: open('unique_id'),
      regverify: later('regverify'),
      httpAuth: this.#httpAuthOf(row),
      sslVerify: row.ssl_verify === null ? null : row.ssl_verify === 1,
      endpoint: row.endpoint ?? 'ajax',
      key: row.key_id !== null && key !== null ? { keyId: row.key_id, privateKeyPem: key, since: row.key_at } : null,
      pending:
        row.pending_key_id !== null && pending !== null
          ? {
              keyId: row.pending_key_id,
              privateKeyPem: pending,
              since: row.pending_at ?? 0,
              admin: row.pending_admin ?? row.admin_username,
            }
          : null,
      checkpoint: toCheckpoint(row),
      rulesRevision: Number(row.rules_revision),
      databaseTime: Number(row.database_time),
    };
  }
}

const NOTHING_PENDING = { pending_key_id: null, pending_private_key: null, pending_at: null, pending_admin: null };
