import type { Knex } from 'knex';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { noClientTrackerSettings, type ClientTrackerSettings, type TrackerSettingOverrides } from './billing-terms.ts';
import { bucketsInScope } from './tracker-scope-read-model.ts';

interface SettingsRow {
  client_id: number;
  overrides: number;
  own: string;
  default_bucket_id: number | null;
  revision: number;
}
const COLUMNS = ['client_id', 'overrides', 'own', 'revision'] as const;

const toSettings = (row: SettingsRow): ClientTrackerSettings => ({
  clientId: row.client_id,
  overrides: row.overrides === 1,
  own: JSON.parse(row.own) as TrackerSettingOverrides,
  defaultBucketId: row.default_bucket_id,
  revision: row.revision,
});

export class ClientSettingsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async of(scope: SiteScope, clientId: number): Promise<ClientTrackerSettings> {
    return (await this.byClient(scope, [clientId])).get(clientId) ?? noClientTrackerSettings(clientId);
  }

  /** The clients must be in the scope. A default bucket that is not in the scope is left out. */
  async byClient(scope: SiteScope, clientIds: readonly number[]): Promise<Map<number, ClientTrackerSettings>> {
    const query = this.#db('time_client_settings').whereIn('client_id', [...clientIds]);
    const bucket = isLimited(scope) ? 'visible_buckets.bucket_id as default_bucket_id' : 'default_bucket_id';
    if (isLimited(scope)) {
      const buckets = bucketsInScope(this.#db, scope).as('visible_buckets');
      void query.leftJoin(buckets, 'visible_buckets.bucket_id', 'default_bucket_id');
    }
    const rows = await query.select<SettingsRow[]>(...COLUMNS, bucket);
    return new Map(rows.map((row) => [row.client_id, toSettings(row)]));
  }

  async put({ clientId, overrides, own, defaultBucketId, revision }: ClientTrackerSettings): Promise<void> {
    const row = {
      overrides: overrides ? 1 : 0,
      own: JSON.stringify(own),
      default_bucket_id: defaultBucketId,
      revision: revision + 1,
    };
    await this.#db('time_client_settings')
      .insert({ client_id: clientId, ...row })
      .onConflict('client_id')
      .merge(row);
  }
}
