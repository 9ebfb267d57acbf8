import type { Knex } from 'knex';
import { createBaseServices } from '../../../src/platform/base-services.ts';
import { readConfig } from '../../../src/platform/config.ts';
import { ACTIVITY_CHANGE_TYPES } from '../../../src/domains/changes/index.ts';
import { DAY, HOUR, toDate } from '../../../src/shared/clock.ts';
import { insertRows } from './insert-rows.ts';
import * as scale from './scale.ts';
import { seedChecks } from './seed-checks.ts';
import { seedVersions } from './seed-versions.ts';

const CLIENTS = 200;
const TAGS = 50;
const COSTS = 2_000;
/** Costs of all sites, so that the list of costs of a client has many lines per site. */
const COMMON_COSTS = 10;
const BUCKETS = 20;
const PLUGINS_A_SITE = 20;
const UPDATES_A_SITE = 5;
const MAILS = 2_000;
const JOBS = 2_000;

/** Inserts the records of the largest supported setting. The sites must exist. */
export async function seedRecords(env: Record<string, string>): Promise<void> {
  const base = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const { knex } = base.database;
  const now = Date.now();
  await seedOwners(knex, now);
  await seedInventory(knex);
  await seedVersions(knex, now);
  await seedChecks(knex, now);
  await seedTimeTracker(knex, now);
  await seedChanges(knex, now);
  await seedJobs(knex, now);
  await seedMails(knex, now);
  await knex('revisions').increment('value', 1);
  await base.close();
}

/** Inserts the tag that the trivial GET reads, and nothing else. */
export async function seedQuietTag(env: Record<string, string>): Promise<void> {
  const base = await createBaseServices(readConfig({ ...env, LOG_LEVEL: 'silent' }));
  const now = Date.now();
  await base.database.knex('tags').insert({
    ...{ id: scale.QUIET_TAG, name: 'Quiet', name_key: 'quiet', created_at: now, updated_at: now },
  });
  await base.close();
}

async function seedOwners(knex: Knex, now: number): Promise<void> {
  const times = { created_at: now, updated_at: now };
  const urlKeys = await knex('sites').orderBy('id').pluck<string[]>('url_key');
  await insertRows(knex, 'clients', CLIENTS, (at) => ({
    ...{ id: at + 1, name: `Client ${at}`, name_key: `client ${at}`, email: `client${at}@example.com` },
    ...{ email_key: `client${at}@example.com`, note: 'A note. '.repeat(20), status: 'active', ...times },
  }));
  await insertRows(knex, 'tags', TAGS, (at) => ({ id: at + 1, name: `Tag ${at}`, name_key: `tag ${at}`, ...times }));
  const sitesOfTag = (tag_id: number, count: number): Promise<void> =>
    insertRows(knex, 'site_tags', count, (at) => ({ tag_id, site_id: at + 1, site_key: urlKeys[at] }));
  await sitesOfTag(scale.COMMON_TAG, scale.SITES);
  await sitesOfTag(scale.HALF_TAG, scale.SITES / 2);
  await knex('sites').where('id', '<=', scale.CLIENT_SITES).update({ client_id: scale.BUSY_CLIENT });
  await insertRows(knex, 'costs', COSTS, (at) => ({
    ...{ id: at + 1, name: `Cost ${at}`, name_key: `cost ${at}`, type: 'subscription', product_type: 'plugin' },
    ...{ license_type: 'single_site', status: 'active', payment_method: 'cash', price_units: 10_000_000 },
    ...{ renewal_type: 'monthly', last_renewal: '2026-01-01', renewal_anchor: '2026-01-01', note: '', ...times },
  }));
  await insertRows(knex, 'cost_targets', COSTS, (at) => ({
    cost_id: at < scale.CLIENT_SITES ? 1 : at + 1,
    kind: 'site',
    target_id: at + 1,
  }));
  await insertRows(knex, 'cost_targets', COMMON_COSTS, (at) => ({
    ...{ cost_id: at + 2, kind: 'tag', target_id: scale.COMMON_TAG },
  }));
}

async function seedInventory(knex: Knex): Promise<void> {
  const urlKeys = await knex('sites').orderBy('id').pluck<string[]>('url_key');
  const placeOf = (index: number, each: number): [site: number, place: number] => [
    Math.floor(index / each) + 1,
    index % each,
  ];
  await insertRows(knex, 'site_plugins', scale.SITES * PLUGINS_A_SITE, (index) => {
    const [site_id, place] = placeOf(index, PLUGINS_A_SITE);
    const slug = `plugin-${place}/plugin-${place}.php`;
    return { site_id, slug, name: `Plugin ${place}`, version: '1.0', active: 1, must_use: 0, is_child: 0 };
  });
  await insertRows(knex, 'site_updates', scale.SITES * UPDATES_A_SITE, (index) => {
    const [site_id, place] = placeOf(index, UPDATES_A_SITE);
    return {
      ...{ site_id, type: 'plugin', slug: `plugin-${place}/plugin-${place}.php`, name: `Plugin ${place}` },
      ...{ current_version: '1.0', new_version: '1.1', site_key: urlKeys[site_id - 1] },
    };
  });
  await knex('site_states').update({ plugin_updates: UPDATES_A_SITE, wp_version: '6.8', php_version: '8.3' });
}

async function seedTimeTracker(knex: Knex, now: number): Promise<void> {
  const times = { revision: 1, created_at: now, updated_at: now };
  await insertRows(knex, 'time_buckets', BUCKETS, (at) => ({
    ...{ id: at + 1, title: `Bucket ${at}`, title_key: `bucket ${at}`, description: '', seconds: 1_000_000_000 },
    ...{ hourly_units: 800_000, currency: 'EUR', recurrence: 'monthly', anchor_day: '2025-01-01', carry_over: 1 },
    ...{ carried_seconds: 0, carried_day: '2025-01-01', archived: 0, ...times },
  }));
  await insertRows(knex, 'time_bucket_clients', CLIENTS, (at) => ({ bucket_id: bucketOf(at), client_id: at + 1 }));
  await insertRows(knex, 'time_tasks', scale.TASKS, (at) => {
    const began = now - (at % 700) * DAY - HOUR;
    const client = at % 4 === 0 ? scale.BUSY_CLIENT - 1 : at % CLIENTS;
    return {
      ...{ id: at + 1, title: `Task ${at}`, title_key: `task ${at}`, description: 'What was done. '.repeat(5) },
      ...{ client_id: client + 1, client_name: `Client ${client}`, site_id: 1 + (at % scale.SITES), site_url: '' },
      ...{ bucket_id: bucketOf(client), payment_status: 'unbilled', timer_mode: 'count_down', billable: 1 },
      ...{ task_date: toDate(began), recorded_seconds: 3_600, latest_at: began, started_at: began },
      ...{ paused_at: began + HOUR, operator: 'admin', ...times, ...settlementOf(at, toDate(began)) },
    };
  });
  await insertRows(knex, 'time_entries', scale.TASKS, (at) => {
    const started_at = now - (at % 700) * DAY - HOUR;
    const ended_at = started_at + HOUR;
    return { task_id: at + 1, kind: 'timer', started_at, ended_at, seconds: 3_600, operator: 'admin' };
  });
}

/** Several clients share a bucket. */
const bucketOf = (client: number): number => 1 + (client % BUCKETS);

/** Every second task is stopped, and took its time from the bucket. */
const settlementOf = (at: number, day: string): object =>
  at % 2 === 0
    ? { status: 'paused', billed_seconds: null, billed_hourly_units: null, billed_source: null }
    : {
        ...{ status: 'stopped', billed_seconds: 3_600, billed_hourly_units: 800_000, billed_source: 'bucket' },
        ...{ billed_currency: 'EUR', total_minor: 8_000, total_decimals: 2, debit_seconds: 3_600, debit_day: day },
      };

async function seedChanges(knex: Knex, now: number): Promise<void> {
  const types = Object.values(ACTIVITY_CHANGE_TYPES).flatMap((actions) => Object.values(actions).flat());
  const rowAt = (index: number, siteId: number, at: number): object => ({
    ...{ site_id: siteId, source: 'child_changes', external_id: String(index), description: 'A change of a thing' },
    ...{ type: types[index % types.length], actor: index % 2 === 0 ? scale.BUSY_ACTOR : 'admin', at },
    ...{ object_name: `Thing ${index % 40}`, object_key: `thing-${index % 40}` },
    ...{ old_values: JSON.stringify({ version: '1.0' }), new_values: JSON.stringify({ version: '1.1' }) },
  });
  const half = scale.CHANGES / 2;
  const year = 364 * DAY;
  await insertRows(knex, 'changes', half, (index) =>
    rowAt(index, scale.BUSY_SITE, now - year + Math.floor((year * index) / half)),
  );
  await insertRows(knex, 'changes', half, (index) =>
    rowAt(index, 2 + (index % (scale.SITES - 1)), now - Math.floor((30 * DAY * index) / half)),
  );
  await insertRows(knex, 'changes', scale.EXPIRED_CHANGES, (index) =>
    rowAt(half + index, 1 + (index % scale.SITES), now - 3_000 * DAY - index * 1_000),
  );
}

async function seedJobs(knex: Knex, now: number): Promise<void> {
  const jobOf = (id: string, total: number, completed: number, kind = 'sync'): object => ({
    ...{ id, kind, state: 'failed', total, processed: total, succeeded: 0, failed: total },
    ...{ requested_by: 'admin', input: '{}', created_at: completed, started_at: completed, completed_at: completed },
  });
  const itemOf = (job_id: string, position: number, at: number): object => ({
    ...{ job_id, position, site_id: 1 + (position % scale.SITES), identifier: `site ${position}`, state: 'failed' },
    ...{
      attempt: 1,
      error_code: 'svc_site_unreachable',
      error_message: 'No answer.',
      started_at: at,
      completed_at: at,
    },
  });
  await insertRows(knex, 'jobs', JOBS, (at) => jobOf(`sync_${at}`, 1, now - at * HOUR * 0.3));
  await insertRows(knex, 'job_items', JOBS, (at) => itemOf(`sync_${at}`, 0, now));
  await knex('jobs').insert(jobOf(scale.FAILED_JOB, scale.FAILED_ITEMS, now));
  await insertRows(knex, 'job_items', scale.FAILED_ITEMS, (at) => itemOf(scale.FAILED_JOB, at, now));
  for (const kind of scale.TOOLS) {
    await knex('jobs').insert(jobOf(kind, scale.SITES, now, kind));
    await insertRows(knex, 'job_items', scale.SITES, (at) => itemOf(kind, at, now));
  }
  const expired = now - 60 * DAY;
  await insertRows(knex, 'jobs', scale.EXPIRED_JOBS, (at) => jobOf(`old_${at}`, scale.ITEMS_OF_EXPIRED, expired));
  await insertRows(knex, 'job_items', scale.EXPIRED_JOBS * scale.ITEMS_OF_EXPIRED, (at) =>
    itemOf(`old_${Math.floor(at / scale.ITEMS_OF_EXPIRED)}`, at % scale.ITEMS_OF_EXPIRED, expired),
  );
}

async function seedMails(knex: Knex, now: number): Promise<void> {
  await insertRows(knex, 'mails', MAILS, (at) => ({
    ...{ id: at + 1, type: 'daily_digest', message_id: `<${at}@bench.example>`, subject: `Mail ${at}` },
    ...{ html: '<p>Text.</p>'.repeat(200), text: 'Text. '.repeat(200), links: '[]', state: 'sent' },
    ...{ attempts: 1, tries: 1, created_at: now - at, updated_at: now - at, sent_at: now - at },
  }));
  await insertRows(knex, 'mail_recipients', MAILS, (at) => ({
    ...{ mail_id: at + 1, position: 0, address: `to${at}@example.com`, state: 'accepted' },
  }));
}
