import assert from 'node:assert/strict';
import { handlerIdOf } from '../../src/contract/index.ts';
import { createClient } from '../support/clients.ts';
import { checkResponse } from '../support/contract-check.ts';
import { documentedOperations, type DocumentedOperation } from '../support/documented-operations.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { createTag } from '../support/tags.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test compares responses with the contract.

const UNKNOWN_JOB = 'sync_00000000-0000-0000-0000-000000000000';
/** Bodies for operations whose example would not have the same response twice. */
const BODIES: Record<string, unknown> = {
  modules_edit: { active: true },
  settings_advanced_edit: { svc_maximum_requests: 40 },
  // A second run of an operation that adds records would add another record.
  clients_batch: { update: [{ id: 1, city: 'Lyon' }], delete: [99] },
};

const isFurther = ({ place }: DocumentedOperation): boolean => place.operation.operationId.includes('__');

describe('alternative verbs', () => {
  let world: World;
  /** IDs of existing records, by the names of their parameters. */
  let known: Record<string, unknown>;
  before(async () => {
    world = await startWorld({ sites: 2 });
    const site_id_or_domain = world.siteId(0);
    const client_id_or_email = await createClient(world, 'Ann', { selected_sites: [site_id_or_domain] });
    const tag_id = await createTag(world, 'Shops', site_id_or_domain);
    known = {
      site_id_or_domain,
      client_id_or_email,
      tag_id,
      job_id: UNKNOWN_JOB,
      slug: 'logs',
      dry_run: true,
      include_stats: true,
    };
  });
  after(() => world.close());

  /** Returns the response. An error must be the same for both verbs and must not be a validation error. */
  async function ask({ contract, place }: DocumentedOperation): Promise<unknown> {
    const { method, path, body } = await exampleRequest(contract, place, known);
    const own = BODIES[place.id];
    const request = world.agent()[place.verb as 'get'](path).type('json');
    const { status, body: answered } = await (body === null ? request : request.send(own ?? body));
    assert.ok(
      !['rest_no_route', 'rest_invalid_method', 'rest_invalid_param', 'ability_invalid_input'].includes(answered.code),
      answered.code,
    );
    checkResponse(method, path, status, answered);
    return { status, answered };
  }

  const operations = documentedOperations();
  for (const further of operations.filter(isFurther)) {
    const { verb, operation } = further.place;
    const id = handlerIdOf(operation.operationId);
    const main = operations.find(({ place }) => place.operation.operationId === id);
    it(`when ${id} is called with ${verb}, then the response equals that of ${main?.place.verb}`, async () => {
      assert.ok(main, 'every further verb has an operation that it is a verb of');
      const [first, second] = [await ask(main), await ask(further)];
      assert.deepEqual(second, first);
    });
  }
});
