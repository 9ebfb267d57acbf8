import assert from 'node:assert/strict';
import type { ReportSubject } from '../../../src/domains/pro-reports/index.ts';
import { NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { sitesInScope, storeLimitedFleet, type LimitedFleet } from '../../support/limited-fleet.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAYS = { startDate: '2026-11-01', endDate: '2026-11-20' };

describe('reports of a limited caller', () => {
  let world: World;
  let fleet: LimitedFleet;
  before(async () => {
    world = await startWorld();
    fleet = await storeLimitedFleet(world.container.knex);
  });
  after(() => world.close());

  it('when a page is read, then it has the sites of the limit, and other sites and clients do not exist', async () => {
    const { proReports, reportPages } = world.container.services;
    const subjects: ReportSubject[] = [
      ...fleet.clients.map((client) => ({ client })),
      ...fleet.sites.map(({ id }) => ({ siteId: id })),
    ];
    const anyRange = await proReports.reports.range(ALL_SITES, DAYS, subjects[0] as ReportSubject);
    for (const [name, scope] of Object.entries(fleet.scopes)) {
      const visible = sitesInScope(fleet, scope);
      for (const about of subjects) {
        const own = visible.filter(({ id, clientId }) =>
          'client' in about ? clientId === about.client : id === about.siteId,
        );
        const isSeen = own.length > 0 || (name === 'all sites' && 'client' in about);
        const read = () => reportPages.reportReader.read({ scope, about, range: anyRange, segments: ['plugins'] });
        if (!isSeen) {
          await assert.rejects(proReports.reports.range(scope, DAYS, about), NotFoundError, name);
          await assert.rejects(read, NotFoundError, name);
          continue;
        }
        assert.deepEqual(await proReports.reports.range(scope, DAYS, about), anyRange);
        const { report } = await read();
        const sites =
          'sites' in report ? report.sites.map(({ site }) => site.id) : 'site' in report ? [report.site.id] : [];
        assert.deepEqual(new Set(sites), new Set(own.map(({ id }) => id)), name);
      }
    }
  });
});
