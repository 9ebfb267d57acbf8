import assert from 'node:assert/strict';
import { deref } from '../../src/contract/index.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { issueCertificate } from '../support/certificates.ts';
import { checkCertificate, moveSite } from '../support/ssl-monitor.ts';
import { serveTls } from '../support/tls-servers.ts';
import { syncSites } from '../support/sites.ts';
import { createWorkedTask } from '../support/time-tracker.ts';
import { until } from '../support/until.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { addReportTemplate } from '../support/report-templates.ts';
import { storePackage } from '../support/packages.ts';
import { pinFirstPlugin } from '../support/pins.ts';
import { leaveOutFixes } from '../support/vulnerability-fixes.ts';
import { addRole } from '../support/roles.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

type Fields = Record<string, unknown>;

/** Filters that exclude all records of this test. */
const NARROWING: ReadonlySet<string> = new Set(['has_update', 'must_use', 'has_running']);

const parametersOf = ({ contract, place }: ReturnType<typeof documentedOperations>[number]) =>
  [...(place.item.parameters ?? []), ...(place.operation.parameters ?? [])].map((each) => deref(contract, each));

describe('every field of a record', () => {
  const selecting = documentedOperations((operation) => parametersOf(operation).some(({ name }) => name === '_fields'));
  let world: World;
  let given: Fields;
  before(async () => {
    world = await startWorld({ sites: 1, overrides: { deadlines: { confirmAfterMs: 10 } } });
    const body = async (method: string, path: string, sent: object): Promise<{ id: number }> =>
      (await world.request(method, `/api/v2${path}`, { body: sent })).body.data;
    const { id: site } = { id: world.siteId(0) };
    await body('POST', '/clients/fields/add', { name: 'contract', description: 'Number of it.' });
    const client = await body('POST', '/clients/add', {
      name: 'Bakery',
      selected_sites: [site],
      custom_fields: { contract: '7' },
    });
    await body('POST', '/settings/tools/info-messages/dismiss', { message_id: 'getting-started' });
    const tag = await body('POST', '/tags/add', { name: 'shops' });
    await body('PUT', `/sites/${site}/edit`, { groupids: [tag.id] });
    const cost = await body('POST', '/costs/add', { name: 'Hosting', price: 5, sites: [site] });
    await syncSites(world);
    world.site(0).fault = { kind: 'refuse' };
    await world.request('POST', `/api/v2/monitors/${site}/check`);
    world.site(0).fault = null;
    const tls = await serveTls(await issueCertificate());
    const { url } = world.site(0);
    await moveSite(world, site, tls.url);
    await checkCertificate(world, site);
    await moveSite(world, site, url);
    await tls.close();
    const [job] = (await world.request('GET', '/api/v2/jobs')).body.data;
    await world.request('POST', '/api/v2/schedules/daily-digest/run');
    const outbox = async () => (await world.request('GET', '/api/v2/outbox')).body.data;
    await until(async () => (await outbox()).length > 0, 'the digest');
    const [mail] = await outbox();
    const schedule = await addReportSchedule(world, { site_id: site });
    const report = await makeReport(world, schedule.id);
    // The key with the ID 1 is that of the reader.
    await world.request('GET', '/api/v2/tags', { as: 'reader' });
    const ids = {
      schedule_id: schedule.id,
      report_id: report.id,
      template_key: await addReportTemplate(world),
      ...(await leaveOutFixes(world)),
      package_id: await storePackage(world),
      pin_id: await pinFirstPlugin(world, site),
      mail_id: mail.id,
      id_or_domain: site,
      id_or_email: client.id,
      tag_id: tag.id,
      cost_id: cost.id,
      key_id: 1,
      role_name: await addRole(world),
      service_user_id: 1,
      ...(await createWorkedTask(world, client.id, site)),
    };
    const firstOf = async (kind: string): Promise<number> =>
      (await world.request('GET', `/api/v2/${kind}`)).body.data[world.site(0).url][0].id;
    given = { ...ids, job_id: job.job_id, post_id: await firstOf('posts'), page_id: await firstOf('pages') };
  });
  after(() => world.close());

  for (const operation of selecting)
    it(`when a field is selected alone, then the response has it: ${operation.place.operation.operationId}`, async () => {
      const { contract, place } = operation;
      const { path } = await exampleRequest(contract, place, given);
      const wide = parametersOf(operation).filter(({ schema }) => schema?.type === 'boolean');
      const recordOf = async (query: string): Promise<Fields> => {
        const { body } = await world.request('GET', `${path}?${query}`);
        const found = body.data ?? body;
        return (Array.isArray(found) ? found[0] : found) ?? {};
      };
      const whole = await recordOf(wide.map(({ name }) => `${name}=${!NARROWING.has(name)}`).join('&'));
      const names = Object.keys(whole);
      assert.ok(names.length > 0 || /abandoned|changes|ignored|updates_/.test(place.id), 'there is a record');
      for (const name of names) {
        const shown = Object.keys(await recordOf(`_fields=${name}`));
        assert.deepEqual(
          shown.filter((each) => each !== 'id'),
          name === 'id' ? [] : [name],
          name,
        );
      }
      for (const { name } of wide.filter((each) => each.name === 'with_tags'))
        assert.ok('tags' in (await recordOf(`_fields=tags&${name}=false`)), 'a field that is asked for is shown');
    });
});
