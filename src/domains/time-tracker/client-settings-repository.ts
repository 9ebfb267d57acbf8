import type { Knex } from 'knex';
import { noClientTrackerSettings, type ClientTrackerSettings, type TrackerSettingOverrides } from './billing-terms.ts';

interface SettingsRow {
  client_id: number;
  overrides: number;
  own: string;
  default_bucket_id: number | null;
  revision: number;
}
const COLUMNS = ['client_id', 'overrides', 'own', 'default_bucket_id', 'revision'] as const;

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

  async of(clientId: number): Promise<ClientTrackerSettings> {
    return (await this.byClient([clientId])).get(clientId) ?? noClientTrackerSettings(clientId);
  }

  async byClient(clientIds: readonly number[]): Promise<Map<number, ClientTrackerSettings>> {
    const rows = await this.#db('time_client_settings')
      .whereIn('client_id', [...clientIds])
      .select<SettingsRow[]>(...COLUMNS);
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
