import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { OutboxReadModel } from '../../../src/domains/mail/outbox-read-model.ts';
import { ALL_REPORTS, type ReportScope } from '../../../src/domains/report-schedules/report-scope-read-model.ts';
import { ReportScheduleReadModel } from '../../../src/domains/report-schedules/report-schedule-read-model.ts';
import { StoredReportReadModel } from '../../../src/domains/report-schedules/stored-report-read-model.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES, scopeWithin, type SiteScope } from '../../../src/shared/site-scope.ts';
import { recordStatements, withFreshDatabase } from '../../support/database.ts';
import { seedScopedSites, type ScopeCase, type ScopedSites } from '../../support/site-scopes.ts';

const ALL = { page: 1, perPage: 100 };
const BY_TIME = { by: 'created_at', direction: 'asc' } as const;
const released = (sites: SiteScope): ReportScope => ({ sites, seesUnreleased: false });

describe('reports and their schedules within a scope', () => {
  let knex: Knex;
  let schedules: ReportScheduleReadModel;
  let reports: StoredReportReadModel;
  let seeded: ScopedSites;
  withFreshDatabase(({ database }) => (knex = database.knex));

  /** True if the caller sees the site; without one, a site of the client for a schedule, and all for its report. */
  const isAboutVisible = (
    { sees }: ScopeCase,
    kind: 'schedules' | 'reports',
    siteId: number | null,
    clientId: number | null,
  ): boolean => {
    if (siteId !== null) return sees(siteId);
    const [a = 0, b = 0, c = 0] = seeded.sites;
    const seen = clientId === seeded.clients[0] ? [sees(a), sees(b)] : [sees(c)];
    return kind === 'schedules' ? seen.includes(true) : !seen.includes(false);
  };

  beforeEach(async () => {
    schedules = new ReportScheduleReadModel(knex);
    reports = new StoredReportReadModel(knex, new OutboxReadModel(knex));
    seeded = await seedScopedSites(knex);
    const targets = [
      ...seeded.sites.map((id, index) => ({ siteId: id, clientId: seeded.clients[[0, 0, 1][index] ?? -1] ?? null })),
      ...seeded.clients.map((clientId) => ({ siteId: null, clientId })),
    ];
    const times = { created_at: 1, updated_at: 1 };
    for (const { siteId, clientId } of targets) {
      const [schedule] = await knex('report_schedules').insert({
        ...{ name: 'Report', name_key: 'report', site_id: siteId, client_id: siteId === null ? clientId : null },
        ...{ frequency: 'weekly', day: 1, time_of_day: '08:00', recipients: '[]', format: 'pdf', active: 1, ...times },
      });
      await knex('kept_reports').insert({
        ...{ schedule_id: schedule, about: siteId === null ? 'client' : 'site', site_id: siteId, client_id: clientId },
        ...{ name: 'Report', name_key: 'report', url: '', frequency: 'weekly', zone: 'UTC', state: 'queued' },
        ...{ start_date: '2026-11-01', end_date: '2026-11-07', summary: '[]', recipients: '[]', file_name: '' },
        ...{ sites_count: 1, created_at: 1 },
      });
    }
  });

  for (const kind of ['schedules', 'reports'] as const)
    it(`when a scope is limited, then ${kind} about its sites and their clients are listed and found`, async () => {
      const list = (scope: SiteScope, filter: { siteId?: number; clientId?: number }) =>
        kind === 'schedules'
          ? schedules.list(scope, filter, BY_TIME, ALL)
          : reports.list(released(scope), filter, BY_TIME, ALL);
      const get = (scope: SiteScope, id: number) =>
        kind === 'schedules' ? schedules.get(scope, id) : reports.get(released(scope), id);
      const every = (await list(ALL_SITES, {})).items;
      assert.equal(every.length, 7);
      for (const each of seeded.scopes) {
        const isVisible = (record: (typeof every)[number]): boolean =>
          isAboutVisible(each, kind, record.siteId, record.clientId);
        for (const filter of [{}, { clientId: seeded.clients[0] ?? 0 }, { siteId: seeded.sites[2] ?? 0 }]) {
          const unlimited = await list(ALL_SITES, filter);
          const expected = unlimited.items.filter(isVisible);
          const { items, total } = await list(each.scope, filter);
          assert.deepEqual([items, total], [expected, expected.length], each.name);
        }
        for (const record of every)
          if (isVisible(record)) assert.deepEqual(await get(each.scope, record.id), record, each.name);
          else await assert.rejects(get(each.scope, record.id), NotFoundError, each.name);
      }
    });

  it('when a report waits for its release or was discarded, then a limited caller sees it only if it can release it', async () => {
    const ids = await knex('kept_reports').where({ about: 'site' }).orderBy('id').pluck<number[]>('id');
    const [waiting = 0, discarded = 0, sent = 0] = ids;
    for (const [id, state] of [
      [waiting, 'waiting'],
      [discarded, 'discarded'],
      [sent, 'released'],
    ] as const)
      await knex('kept_reports').where({ id }).update({ release_state: state });
    const scope = released(scopeWithin([{ clients: [], tags: [], sites: seeded.sites }]));
    for (const id of [waiting, discarded]) {
      assert.equal((await reports.get(ALL_REPORTS, id)).id, id);
      await assert.rejects(reports.get(scope, id), NotFoundError);
      assert.equal((await reports.get({ ...scope, seesUnreleased: true }, id)).id, id);
    }
    assert.equal((await reports.get(scope, sent)).id, sent);
    const listed = (await reports.list(scope, {}, BY_TIME, ALL)).items.map(({ id }) => id);
    assert.ok(listed.includes(sent) && !listed.includes(waiting) && !listed.includes(discarded));
  });

  it('when the site of a report is deleted, then only an unlimited caller sees the report', async () => {
    const [first = 0] = seeded.sites;
    await knex('sites').where({ id: first }).delete();
    const [report] = await knex('kept_reports').where({ about: 'site' }).whereNull('site_id').pluck<number[]>('id');
    assert.ok(report !== undefined);
    for (const { name, scope } of seeded.scopes) {
      if (scope === ALL_SITES) assert.equal((await reports.get(ALL_REPORTS, report)).id, report);
      else await assert.rejects(reports.get({ sites: scope, seesUnreleased: true }, report), NotFoundError, name);
    }
  });

  it('when a scope is limited, then a list needs no more statements', async () => {
    for (const list of [
      (scope: SiteScope) => schedules.list(scope, {}, BY_TIME, ALL),
      (scope: SiteScope) => reports.list(released(scope), {}, BY_TIME, ALL),
    ]) {
      const costs = await countEach(list);
      assert.ok(
        costs.every((cost) => cost <= (costs[0] ?? 0)),
        String(costs),
      );
    }
  });

  async function countEach(work: (scope: ScopeCase['scope']) => Promise<unknown>): Promise<number[]> {
    const costs: number[] = [];
    for (const { scope } of seeded.scopes) costs.push((await recordStatements(knex, () => work(scope))).length);
    return costs;
  }
});
