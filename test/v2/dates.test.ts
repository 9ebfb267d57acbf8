import assert from 'node:assert/strict';
import { refusedFields } from '../support/refusals.ts';
import { startWorld, type World } from '../support/world.ts';

/** Checks that an error names a field. It may name others too, such as a required one. */
const assertNamed = (fields: readonly string[], field: string, day: string): void =>
  assert.ok(
    fields.some((each) => each.split('.').at(-1) === field),
    `${day}: ${fields.join()}`,
  );

describe('days that do not exist', () => {
  let world: World;
  before(async () => (world = await startWorld({ sites: 1 })));
  after(() => world.close());

  /** Query parameters by route. `SITE` stands for the ID of a site, and the dot for the day. */
  const QUERIES: [path: string, parameter: string, value?: string][] = [
    ['/monitors/SITE/heartbeat', 'since'],
    ['/monitors/SITE/heartbeat', 'since', '.T10:00:00Z'],
    ['/monitors/SITE/heartbeat', 'since', '.T10:00'],
    ['/monitors/SITE/heartbeat', 'period', './2026-03-20'],
    ['/monitors/SITE/heartbeat', 'period', '2026-02-01/.T00:00:00+01:00'],
    ['/changes', 'since', '.T10:00:00Z'],
    ['/changes', 'until', '.T10:00:00Z'],
    ['/comments', 'dtsstart'],
    ['/comments/SITE', 'dtsstop'],
    ['/posts', 'dtsstart'],
    ['/pages', 'dtsstop'],
    ['/outbox', 'since', '.T10:00:00Z'],
    ['/perf-audit/results', 'start_date'],
    ['/pro-reports/SITE', 'end_date'],
    ['/reports', 'from'],
    ['/time-tracker', 'date_from'],
    ['/vulnerabilities/exposures', 'from', '.T10:00:00Z'],
    ['/vulnerabilities/exposures', 'to', '.T10:00:00+02:00'],
  ];
  for (const [path, parameter, value = '.'] of QUERIES)
    it(`when ${parameter} of ${path} is ${value.replace('.', '<day>')}, then a day that does not exist is refused`, async () => {
      const at = `/api/v2${path.replace('SITE', String(world.siteId(0)))}`;
      const query = (day: string): string => `${at}?${parameter}=${encodeURIComponent(value.replace('.', day))}`;
      for (const day of ['2026-02-30', '2025-02-29', '2026-04-31', '2026-13-01', '2026-01-00'])
        assertNamed(await refusedFields(world, 'GET', query(day)), parameter, day);
    });

  const POST = { post_title: 'A', post_content: 'A', post_status: 'draft', post_name: 'a' };
  const BODIES: [method: string, path: string, field: string, value: string, rest?: object][] = [
    ['PUT', '/domain-monitor/manual/SITE', 'expiry_date', '.'],
    ['PUT', '/domain-monitor/manual/SITE', 'creation_date', '.T10:00:00'],
    ['PUT', '/domain-monitor/manual/SITE', 'updated_date', '.T10:00:00Z'],
    ['POST', '/rest-api/add-key', 'expires_at', '.T10:00:00Z', { permissions: 'read', description: 'a' }],
    ['POST', '/time-tracker/buckets/add', 'period_start', '.', { title: 'A', hours: 1 }],
    ['POST', '/time-tracker/tasks/add', 'task_date', '.', { title: 'A', client_id: 1 }],
    ['POST', '/costs/add', 'last_renewal', '.', { name: 'A', price: 1 }],
    ['POST', '/posts/SITE/create', 'post_date', '. 10:00:00', POST],
  ];
  for (const [method, path, field, value, rest] of BODIES)
    it(`when ${field} of ${path} is a day that does not exist, then the error names it`, async () => {
      const at = `/api/v2${path.replace('SITE', String(world.siteId(0)))}`;
      for (const day of ['2027-02-30', '2027-02-29', '2027-04-31']) {
        const fields = await refusedFields(world, method, at, { ...rest, [field]: value.replace('.', day) });
        assertNamed(fields, field, day);
      }
    });
});
