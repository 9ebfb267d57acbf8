import assert from 'node:assert/strict';
import { createClient } from '../support/clients.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { createTag } from '../support/tags.ts';
import { writeMail } from '../support/mail.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { addReportTemplate } from '../support/report-templates.ts';
import { createWorkedTask } from '../support/time-tracker.ts';
import { pinFirstPlugin } from '../support/pins.ts';
import { addRole } from '../support/roles.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

describe('every operation on a record with an ETag', () => {
  let world: World;
  /** IDs of the records, by parameter. */
  let given: Record<string, string | number>;
  before(async () => {
    world = await startWorld({ sites: 1 });
    const client = await createClient(world, 'Ann');
    const tag = await createTag(world, 'Shops');
    const [adding] = documentedOperations(({ place }) => place.id === 'costs_add');
    assert.ok(adding);
    const { path, body } = await exampleRequest(adding.contract, adding.place, {
      clients: [client],
      sites: [],
      groups: [tag],
    });
    const cost = (await world.request('POST', path, { body })).body.data;
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0) });
    const report = await makeReport(world, schedule.id);
    given = {
      schedule_id: schedule.id,
      report_id: report.id,
      template_key: await addReportTemplate(world),
      id_or_domain: world.siteId(0),
      id_or_email: client,
      cost_id: cost.id,
      ...(await createWorkedTask(world, client)),
      tag_id: tag,
      id_or_name: tag,
      key_id: 1,
      role_name: await addRole(world),
      service_user_id: 1,
      slug: 'logs',
      mail_id: await writeMail(world),
      pin_id: await pinFirstPlugin(world, world.siteId(0)),
    };
  });
  after(() => world.close());

  it('when If-Match has another ETag, then the request fails with 412 and nothing changes', async () => {
    const asked = documentedOperations(({ has }) => has(412));
    for (const { contract, place } of asked) {
      const { method, path, body } = await exampleRequest(contract, place, given);
      const headers = { 'if-match': '"another"' };
      const answer = await world.request(method, path, { expect: 412, headers, ...(body === null ? {} : { body }) });
      assert.equal(answer.body.code, 'svc_precondition_failed', place.operation.operationId);
    }
    assert.ok(asked.length > 10);
  });

  it('when If-None-Match has the current ETag, then the response is 304 without a body', async () => {
    const asked = documentedOperations(({ has }) => has(304));
    for (const { contract, place } of asked) {
      const { method, path } = await exampleRequest(contract, place, given);
      const { headers } = await world.request(method, path);
      const tag = headers.etag;
      assert.ok(tag, place.operation.operationId);
      const answer = await world.request(method, path, { expect: 304, headers: { 'if-none-match': tag } });
      assert.deepEqual([answer.body, answer.headers.etag], ['', tag]);
    }
    assert.ok(asked.length > 4);
  });
});
