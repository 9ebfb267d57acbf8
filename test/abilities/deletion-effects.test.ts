import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { DELETION_EFFECTS, type DeletedKind } from '../../src/shared/deletion-effects.ts';
import { LinkedRows, readAllRows } from '../support/linked-rows.ts';
import { createTag } from '../support/tags.ts';
import { seedSite } from '../support/sites.ts';
import { startWorld, type World } from '../support/world.ts';

interface Deletion {
  table: string;
  ability: string;
  input: (id: number) => object;
  /** Tables whose rows are counted, with their effects. */
  counted: Readonly<Record<string, string>>;
  /** Tables with details of the record itself, or with sums of what is counted. */
  details: readonly string[];
  /** Tables that keep their rows without the ID of a deleted record. */
  changed: readonly string[];
  /** Tables that keep the ID of a deleted record. */
  kept: readonly string[];
}

const DELETIONS: Readonly<Record<DeletedKind, Deletion>> = {
  site: {
    table: 'sites',
    ability: 'delete-site-v1',
    input: (id) => ({ site_id_or_domain: id }),
    counted: {
      ...{ site_plugins: 'plugins', site_themes: 'themes', site_abandoned: 'abandoned', changes: 'changes' },
      ...{ site_updates: 'updates', ignored_updates: 'ignored_updates', exposures: 'vulnerabilities' },
      ...{ monitors: 'monitors', ssl_monitors: 'monitors', site_domains: 'monitors', perf_audits: 'monitors' },
      ...{ incidents: 'incidents', monitor_days: 'uptime_days', ssl_certificates: 'certificates' },
      ...{ perf_audit_history: 'performance_audits', report_schedules: 'report_schedules', time_tasks: 'tasks' },
      ...{ cost_targets: 'costs', site_tags: 'tags', site_limits: 'limits', version_pins: 'pins' },
      ...{ vulnerability_fixes: 'vulnerability_fixes' },
    },
    details: [
      ...['sites', 'site_states', 'site_secrets', 'site_call_leases', 'site_security', 'site_backups', 'change_counts'],
      ...['installed_versions', 'open_updates', 'heartbeat_days', 'monitor_spans', 'perf_audit_sides'],
      ...['package_deliveries', 'package_reach', 'guard_files', 'user_creations'],
    ],
    changed: ['kept_reports', 'time_tasks'],
    kept: ['alerts', 'job_items', 'kept_report_sites', 'mail_sites', 'site_leases'],
  },
  client: {
    table: 'clients',
    ability: 'delete-client-v1',
    input: (id) => ({ client_id_or_email: id }),
    counted: {
      ...{ sites: 'sites', client_field_values: 'custom_fields', report_schedules: 'report_schedules' },
      ...{ time_tasks: 'tasks', time_bucket_clients: 'buckets', time_client_settings: 'tracker_settings' },
      ...{ cost_targets: 'costs', site_limits: 'limits' },
    },
    details: ['clients'],
    changed: ['kept_reports', 'sites', 'time_tasks'],
    kept: [],
  },
  tag: {
    table: 'tags',
    ability: 'delete-tag-v1',
    input: (id) => ({ tag_id: id }),
    counted: { site_tags: 'sites', cost_targets: 'costs', site_limits: 'limits' },
    details: ['tags'],
    changed: [],
    kept: [],
  },
};

/** Tables that each call changes. */
const OF_EACH_CALL = new Set(['api_keys', 'application_passwords', 'key_usage', 'revisions']);

describe('would_affect of a deletion', () => {
  let world: World;
  let knex: Knex;
  beforeEach(async () => {
    world = await startWorld({ overrides: { tickMs: null } });
    knex = world.container.knex;
  });
  afterEach(() => world.close());

  /** Stores two records of the kind with rows in every table that has their IDs. Returns the ID of the first. */
  async function storeLinked(kind: DeletedKind): Promise<number> {
    const rows = await LinkedRows.open(knex);
    const create = {
      site: async () => (await seedSite(world, { status: 'disconnected' })).id,
      client: async () => (await world.ability('add-client-v1', { name: `Client ${Math.random()}` })).id as number,
      tag: () => createTag(world, `tag ${Math.random()}`),
    }[kind];
    const ids = [await create(), await create()];
    const { table, kept } = DELETIONS[kind];
    for (const id of ids) {
      await rows.insertInto(table, id);
      await rows.insert('cost_targets', { kind, target_id: id });
      // A target of another kind with the same ID must be kept.
      await rows.insert('cost_targets', { kind: kind === 'site' ? 'tag' : 'site', target_id: id });
      for (const other of kept) await rows.insert(other, { [`${kind}_id`]: id });
      if (kind === 'tag') continue;
      const column = `${kind}_id`;
      const schedule = await rows.insert('report_schedules', { [column]: id });
      for (const state of ['queued', 'made', 'failed'])
        await rows.insert('kept_reports', { [column]: id, about: kind, schedule_id: schedule, state });
    }
    return ids[0] as number;
  }

  /** Returns the rows that the work deletes or changes, by table. */
  async function lostRows(work: () => Promise<unknown>): Promise<Map<string, string[]>> {
    const before = await readAllRows(knex);
    await work();
    const after = await readAllRows(knex);
    const lost = [...before].map(([table, rows]): [string, string[]] => {
      const kept = new Set(after.get(table));
      return [table, rows.filter((row) => !kept.has(row))];
    });
    return new Map(lost.filter(([table, rows]) => rows.length > 0 && !OF_EACH_CALL.has(table)));
  }

  /** Returns those of the rows that are still stored under their ID. */
  async function stillStored(table: string, rows: readonly string[]): Promise<string[]> {
    const idOf = (row: string): unknown => (JSON.parse(row) as { id?: unknown }).id;
    if (rows.some((row) => idOf(row) === undefined)) return [];
    const ids = await knex(table)
      .whereIn('id', rows.map(idOf) as number[])
      .pluck<unknown[]>('id');
    return rows.filter((row) => ids.includes(idOf(row)));
  }

  const isQueued = (row: string): boolean => row.includes('"state":"queued"');

  for (const kind of ['site', 'client', 'tag'] as const)
    it(`when a ${kind} is deleted, then would_affect has counted the rows that are deleted or changed`, async () => {
      const { ability, input, counted, details, changed } = DELETIONS[kind];
      const id = await storeLinked(kind);
      let effects: Record<string, number> = {};
      const unchanged = await lostRows(async () => {
        effects = (await world.ability(ability, { ...input(id), dry_run: true })).would_affect;
      });
      assert.deepEqual([...unchanged.keys()], []);
      const lost = await lostRows(() => world.ability(ability, { ...input(id), confirm: true }));
      const rest = await Promise.all([...lost].map(async ([table, rows]) => [table, await stillStored(table, rows)]));
      const stored = new Map(rest as [string, string[]][]);
      assert.deepEqual(
        [...stored.keys()].filter((table) => stored.get(table)?.length),
        changed.toSorted(),
      );
      assert.ok(!stored.get('kept_reports')?.some(isQueued), 'queued reports are deleted');
      const reports = lost.get('kept_reports') ?? [];
      lost.delete('kept_reports');
      assert.deepEqual([...lost.keys()].sort(), [...Object.keys(counted), ...details].sort());

      const expected = new Map<string, number>();
      if (kind !== 'tag') {
        const queued = reports.filter(isQueued).length;
        expected.set('queued_reports', queued).set('reports', reports.length - queued);
      }
      for (const [table, effect] of Object.entries(counted))
        expected.set(effect, (expected.get(effect) ?? 0) + (lost.get(table)?.length ?? 0));
      if (kind === 'tag') expected.set('clients', 0);
      assert.deepEqual(effects, Object.fromEntries(expected));
      assert.ok([...expected].every(([effect, count]) => count > 0 || effect === 'clients'));
    });

  it('when the effects are listed, then the guide names each of them', async () => {
    const guide = await readFile('docs/guides/deleting.md', 'utf8');
    for (const kind of ['site', 'client', 'tag'] as const) {
      const [, section = ''] = guide.split(`## Deleting a ${kind}\n`);
      const [chapter = ''] = section.split('\n## ');
      for (const effect of DELETION_EFFECTS[kind]) assert.ok(chapter.includes(`\`${effect}\``), `${kind}: ${effect}`);
    }
  });
});
