import assert from 'node:assert/strict';
import { exampleCall, namesIn } from '../../src/contract-checks/index.ts';
import { basePathOf, isAlternativeVerb, jsonMediaOf } from '../../src/contract/index.ts';
import { DocumentedWorld } from '../processes/documented-world.ts';
import { checkResponse } from '../support/contract-check.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { TestMcpClient, tokenIn } from '../support/mcp.ts';

const routes = documentedOperations(
  ({ place: { item, operation } }) => item['x-ability'] === undefined && !isAlternativeVerb(operation),
).filter(({ contract }) => basePathOf(contract) === '/api/v2');

/** Most operations with DELETE remove records, and some other operations delete or end what cannot be restored. */
const DESTROYING =
  /^(?!pins_)\w+_(delete|remove)$|^comments_act|^(posts|pages)_update_status$|^batch_run$|_batch$|^tools_(destroy_sessions|disconnect_all_sites)$|_revoke_(links|passwords)$/;

/** What the built-in role `editor` may change. */
const OF_EDITORS = ['batch:run', 'comments:write', 'content:write', 'jobs:write'];

/** The service of the test has no mail server. */
const REFUSED: Readonly<Record<string, string>> = {
  outbox_resend: 'svc_mail_not_sendable',
  // MCP cannot send files.
  packages_upload: 'rest_invalid_param',
};

describe('every route of REST v2 over MCP', () => {
  let world: DocumentedWorld;
  let admin: TestMcpClient;
  let editor: TestMcpClient;
  before(async () => {
    world = await DocumentedWorld.start();
    const { url, authorization } = world.service;
    admin = await TestMcpClient.connect(url, authorization);
    editor = await TestMcpClient.connect(url, await world.service.createUser('guest', 'editor'));
    await admin.client.listTools();
  });
  after(async () => {
    await admin.close();
    await editor.close();
    await world.close();
  });

  it('when the routes are counted, then there are those of the contract', () => {
    assert.ok(routes.length > 280, String(routes.length));
  });

  for (const { contract, place } of routes) {
    const { id, verb, path, operation } = place;
    const inputOfExample = async (): Promise<object> => {
      const {
        path: names,
        query,
        body,
      } = exampleCall(contract, place, await world.prepare(id, namesIn(contract, place)));
      return { path: names, query, ...(body !== undefined && { body }) };
    };
    const [success = ''] = Object.keys(operation.responses);

    if (verb === 'get')
      it(`when ${id} is read, then the response matches the contract`, async () => {
        const answer = await admin.read(id, await inputOfExample());
        assert.equal(answer.isError, false, answer.text);
        assert.equal(answer.structured.status, 200);
        // A report is a file by default if the contract has no JSON for it.
        if (!jsonMediaOf(operation.responses['200'])) assert.equal(answer.links.length, 1);
        else if (answer.structured.part === undefined) checkResponse('GET', `/api/v2${path}`, 200, answer.data);
      });
    else
      it(`when ${id} is run, then it needs the permission, and a token exactly if it destroys something`, async () => {
        const input = await inputOfExample();
        if (!OF_EDITORS.includes(operation['x-permission'] ?? ''))
          assert.equal((await editor.run(id, input)).data.code, 'svc_permission_denied');
        const first = await admin.run(id, input);
        if (id in REFUSED) return assert.equal(first.data.code, REFUSED[id]);
        assert.equal(first.isError, false, first.text);
        const hasToken = first.structured.confirmation_token !== undefined;
        assert.equal(hasToken, DESTROYING.test(id));
        if (hasToken) assert.deepEqual(first.data, { would_run: id, with: input });
        const done = hasToken ? await admin.run(id, input, { confirmation_token: tokenIn(first) }) : first;
        assert.equal(done.isError, false, done.text);
        const { status } = done.structured;
        assert.ok(String(status).startsWith('2') && success !== '', done.text);
        checkResponse(verb.toUpperCase(), `/api/v2${path}`, status, done.data);
      });
  }
});
