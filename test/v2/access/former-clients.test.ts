import assert from 'node:assert/strict';
import { requestsWithin, type RequestByKey } from '../../support/limited-keys.ts';
import { addReportSchedule, createClientWithSites, makeReport } from '../../support/report-schedules.ts';
import { updateSite } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const UNKNOWN = 999_999;

/** The second site had the client Zebra and a tag of it, and now has the client Bakery. Zebra has the third site. */
describe('sites that came from a client that a limited caller does not see', () => {
  let world: World;
  let limited: RequestByKey;
  let [bakery, zebra, report] = [0, 0, 0];

  before(async () => {
    world = await startWorld({ sites: 3 });
    bakery = await createClientWithSites(world, 'Bakery', 'office@bakery.example', world.siteId(0));
    zebra = await createClientWithSites(world, 'Zebra', 'office@zebra.example', world.siteId(1), world.siteId(2));
    const care = await createTag(world, 'care', world.siteId(0), world.siteId(1));
    const secret = await createTag(world, 'zebra-tag', world.siteId(2));
    await updateSite(world, world.siteId(1), { tags: [care, secret] });
    await world.request('PUT', `/api/v2/clients/${zebra}/edit`, { body: { report_text: 'Words for Zebra' } });
    const schedule = await addReportSchedule(world, { site_id: world.siteId(1), recipients: [] });
    report = (await makeReport(world, schedule.id)).id;
    for (const verb of ['suspend', 'unsuspend']) await world.request('POST', `/api/v2/clients/${zebra}/${verb}`);
    await updateSite(world, world.siteId(1), { client_id: bakery, tags: [care] });
    limited = await requestsWithin(world, { clients: [bakery] });
  });
  after(() => world.close());

  const changesOf = async (path: string): Promise<Record<string, unknown>[]> =>
    (await limited('GET', `${path}?per_page=100&source=all`)).body.data;

  it('when reports and mails show the former client, then they do not exist for the caller', async () => {
    for (const path of [`/reports?client_id=${zebra}`, `/reports?client_id=${UNKNOWN}`, '/reports', '/outbox'])
      assert.equal((await limited('GET', path)).body.total, 0, path);
    for (const path of ['', '/file', '/mail']) {
      const { body } = await limited('GET', `/reports/${report}${path}`, null, 404);
      assert.deepEqual(body, (await limited('GET', `/reports/${UNKNOWN}${path}`, null, 404)).body, path);
    }
    const [mail] = (await world.request('GET', '/api/v2/outbox')).body.data;
    const { body } = await limited('POST', `/outbox/${mail.id}/resend`, null, 404);
    assert.deepEqual(body, (await limited('POST', `/outbox/${UNKNOWN}/resend`, null, 404)).body);
  });

  it('when the caller sees a site of the client, then it sees the report and its mail', async () => {
    const wide = await requestsWithin(world, { clients: [bakery], sites: [world.siteId(2)] });
    assert.equal((await wide('GET', `/reports?client_id=${zebra}`)).body.total, 1);
    assert.equal((await wide('GET', `/reports/${report}`)).body.data.id, report);
    assert.equal((await wide('GET', '/outbox')).body.total, 1);
  });

  it('when changes name the former client and its tags, then these values are left out', async () => {
    for (const path of ['/changes', `/sites/${world.siteId(1)}/non-svc-changes`]) {
      const changes = await changesOf(path);
      assert.doesNotMatch(JSON.stringify(changes), /zebra/i, path);
      const values = changes
        .filter(({ type, key }) => type === 'site.updated' && key === String(world.siteId(1)))
        .map(({ before, after }) => [before, after]);
      assert.deepEqual(values, [
        [{ tags: 'care' }, { client_id: String(bakery), tags: 'care' }],
        [{ tags: 'care' }, { tags: 'care' }],
        [{}, { tags: 'care' }],
        [{}, {}],
      ]);
    }
    const { data } = (await world.request('GET', '/api/v2/changes?per_page=100')).body;
    assert.match(JSON.stringify(data), /"client_id":"2".*"tags":"care, zebra-tag"/);
  });

  it('when the abilities and the compatibility mount list changes, then they name neither', async () => {
    const input = { site_id_or_domain: world.siteId(1) };
    const { token } = (
      await world.request('POST', '/api/v2/rest-api/add-key', { body: { scope: 'read', limit: { clients: [bakery] } } })
    ).body.data;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const [method, path, body] of [
      ['POST', '/abilities/v1/svc/get-site-changes-v1/run', JSON.stringify({ input })],
      ['GET', `/wp-json/mainwp/v2/sites/${world.siteId(1)}/non-mainwp-changes?source=all`, undefined],
    ] as const) {
      const answer = await fetch(world.url + path, { method, headers, ...(body && { body }) });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      assert.match(text, /together with its client/, path);
      assert.doesNotMatch(text, /zebra/i, path);
    }
  });

  it('when a page has more changes, then it costs no further statement', async () => {
    const costOf = (count: number) =>
      countStatements(world, () => limited('GET', `/changes?per_page=${count}&scope=sites`));
    assert.equal(await costOf(50), await costOf(3));
  });

  it('when the client is deleted, then what shows it stays hidden', async () => {
    await world.request('DELETE', `/api/v2/clients/${zebra}/remove`);
    await limited('GET', `/reports/${report}`, null, 404);
    for (const path of ['/reports', '/outbox']) assert.equal((await limited('GET', path)).body.total, 0, path);
    assert.doesNotMatch(JSON.stringify(await changesOf('/changes')), /zebra|"client_id":"2"/i);
  });
});
