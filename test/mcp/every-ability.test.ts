import assert from 'node:assert/strict';
import type { LocatedOperation } from '../../src/contract/index.ts';
import { DocumentedWorld } from '../processes/documented-world.ts';
import { checkResponse } from '../support/contract-check.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest, namesIn } from '../../src/contract-checks/index.ts';
import { TestMcpClient, tokenIn } from '../support/mcp.ts';

const abilities = documentedOperations(({ place }) => place.item['x-ability'] !== undefined && place.verb === 'post');

const inputIn = (body: string | null): Record<string, unknown> =>
  (JSON.parse(body ?? '{}') as { input?: Record<string, unknown> }).input ?? {};

describe('every ability over MCP', () => {
  let world: DocumentedWorld;
  let admin: TestMcpClient;
  let viewer: TestMcpClient;
  before(async () => {
    world = await DocumentedWorld.start();
    const { url, authorization } = world.service;
    admin = await TestMcpClient.connect(url, authorization);
    viewer = await TestMcpClient.connect(url, await world.service.createUser('guest', 'viewer'), { allTools: true });
  });
  after(async () => {
    await admin.close();
    await viewer.close();
    await world.close();
  });

  const check = ({ path }: LocatedOperation, answer: unknown): void =>
    checkResponse('POST', `/abilities/v1${path}`, 200, answer);

  for (const { contract, place } of abilities) {
    const { id, item } = place;
    const facts = item['x-ability'] ?? assert.fail();
    const inputOfExample = async (): Promise<Record<string, unknown>> => {
      const given = await world.prepare(id, namesIn(contract, place));
      return inputIn((await exampleRequest(contract, place, given)).body);
    };

    if (facts.readonly)
      it(`when ${id} is read, then administrator and viewer get a response that matches the contract`, async () => {
        const input = await inputOfExample();
        const answer = await admin.read(id, input);
        assert.equal(answer.isError, false, answer.text);
        check(place, answer.data);
        assert.deepEqual((await viewer.call(id, input)).data, answer.data);
      });
    else if (facts.destructive)
      it(`when ${id} is run, then it succeeds only for the administrator and with a confirmation token`, async () => {
        const input = await inputOfExample();
        const known = await world.newestChange();
        assert.equal((await viewer.call(id, input)).data.code, 'svc_permission_denied');
        const preview = await admin.run(id, input);
        assert.equal(preview.isError, false, preview.text);
        assert.equal(await world.newestChange(), known, 'nothing was done');
        const done = await admin.run(id, input, { confirmation_token: tokenIn(preview) });
        assert.equal(done.isError, false, done.text);
        check(place, done.data);
        assert.ok((await world.newestChange()) > known);
      });
    else
      it(`when ${id} is run, then it succeeds only for the administrator`, async () => {
        const input = await inputOfExample();
        assert.equal((await viewer.call(id, input)).data.code, 'svc_permission_denied');
        const answer = await admin.run(id, input);
        assert.equal(answer.isError, false, answer.text);
        check(place, answer.data);
      });
  }
});
