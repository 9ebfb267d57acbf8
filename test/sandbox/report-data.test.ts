import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { base64Json, sendSigned, connectedState, type Form } from './support/dashboard.ts';

interface Recording {
  name: string;
  function: string;
  fields: Form;
  answer: Form;
}

const RECORDED = readFileSync(new URL('../connector/recordings/report-data.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

/** Recordings that simulated sites cannot repeat: they use UTC and have no record numbers. */
const REAL_SITE_RECORDINGS = new Set(['records-far-east', 'records-unknown-words', 'absent-translated']);

const secondOf = (utime: string): number => Date.parse(`${utime.replace(' ', 'T')}Z`) / 1000;

/** Stores every record of the real site. */
function recordAll(site: SimulatedSite): void {
  const { answer } = RECORDED.find(({ name }) => name === 'records') as Recording;
  const lists = (answer['sections_data'] as { body: Record<string, string>[][] }).body;
  for (const row of lists.flat().reverse()) {
    const [first = ''] = Object.keys(row);
    const [context = '', action = ''] = first.replace('[', '').split('.');
    const values = Object.entries(row).map(([token, value]) => [token.slice(0, -1).split('.').pop(), value]);
    const at = secondOf(row[first] ?? '');
    site.state.reports.push({ at, context, action, author: 'admin', values: Object.fromEntries(values) });
  }
}

const REPORTS = 'mainwp-child-reports/mainwp-child-reports.php';
const noonOf = (day: string): number => Date.parse(`${day}T12:00:00Z`) / 1000;

/** Restores the state of the site at the time of the recording. */
function prepareSite(site: SimulatedSite, name: string): void {
  const { state } = site;
  if (name === 'absent') state.plugins.delete(REPORTS);
  else site.performWpAdminAction({ do: 'install-plugin', folder: 'mainwp-child-reports' });
  if (name !== 'absent') site.performWpAdminAction({ do: 'activate-plugin', plugin: REPORTS });
  state.reports = [];
  recordAll(site);
  state.fendedOff =
    name === 'counters'
      ? [
          { at: noonOf('2026-11-13'), kind: 'wordfence-blocked', count: 100 },
          { at: noonOf('2026-11-20'), kind: 'wordfence-blocked', count: 11 },
          { at: noonOf('2026-11-22'), kind: 'wordfence-blocked', count: 12 },
          { at: noonOf('2026-11-21'), kind: 'ithemes-blocked', count: 7 },
          { at: noonOf('2026-11-22'), kind: 'ithemes-lockout', count: 2 },
        ]
      : [];
  const order = { at: noonOf('2026-11-22'), product: 'Roll', quantity: 9, total: 9 };
  const orders = [
    { ...order, product: 'Rye bread', quantity: 3, total: 29.5 },
    { ...order, at: noonOf('2026-11-21'), product: 'Rye bread', quantity: 2, total: 19 },
    { ...order, at: noonOf('2026-11-20'), quantity: 1, total: 1.25 },
    { ...order, at: noonOf('2026-11-02'), quantity: 50, total: 60 },
    order,
  ];
  const counts = { awaiting: 2, onHold: 1, lowStock: 1, outOfStock: 1 };
  state.shop = name.startsWith('shop') && name !== 'shop-absent' ? { currency: '&euro;', orders, ...counts } : null;
}

/** Removes values that depend on the site: the product ID and the state of its tables. */
const compared = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value: unknown) =>
      ['product_id', 'need_db_update'].includes(key) ? undefined : value,
    ),
  );

describe('report data of a simulated and a real site', () => {
  let fleet: Fleet;
  let site: SimulatedSite;

  before(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    site = fleet.sites[0] as SimulatedSite;
  });
  after(() => fleet.close());

  for (const { name, function: functionName, fields, answer } of RECORDED.filter(
    (one) => !REAL_SITE_RECORDINGS.has(one.name),
  ))
    it(`when the case is ${name}, then the response equals the recorded one`, async () => {
      prepareSite(site, name);
      const form = Object.entries(fields).map(([field, value]) => [
        field,
        typeof value === 'object' ? base64Json(value) : value,
      ]);
      const { json } = await sendSigned(site, functionName, Object.fromEntries(form) as Form);
      assert.deepEqual(compared(json), compared(answer));
    });

  it('when the dashboard runs maintenance, then its tasks are recorded', async () => {
    prepareSite(site, 'records');
    site.state.reports = [];
    await sendSigned(site, 'maintenance_site', {
      options: ['revisions', 'spam', 'optimize', 'nonsense'],
      revisions: 3,
    });
    await sendSigned(site, 'maintenance_site', { options: ['nonsense'] });
    assert.deepEqual(
      site.state.reports.map(({ context, action, values }) => ({ context, action, values })),
      [
        {
          context: 'maintenance',
          action: 'process',
          values: {
            details:
              'Delete all post revisions, except for the last: 3, Delete spam comments, Optimize database tables',
            result: 'Maintenance Performed',
          },
        },
      ],
    );
  });
});
