import assert from 'node:assert/strict';
import qs from 'qs';
import { deref, operationsOf, type OperationPlace } from '../../src/http/contract.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated.ts';
import { startWorld, type World } from '../support/world.ts';

/** What a field is given, wherever an ability requires it. */
type Field = 'site_id_or_domain' | 'client_id_or_email' | 'tag_id' | 'job_id';
/** Fields beside the required ones, so that more than defaults is compared. */
const MORE: Record<string, object> = {
  'list-sites-v1': { per_page: 2, status: 'connected' },
  'get-site-v1': { include_stats: true },
  'get-site-plugins-v1': { status: 'active' },
  'get-abandoned-plugins-v1': { page: 1, per_page: 5 },
  'delete-tag-v1': { dry_run: true },
};
const UNKNOWN_JOB = 'sync_00000000-0000-0000-0000-000000000000';
const BODIES: Record<string, unknown> = {
  modules_edit: { active: true },
  settings_advanced_edit: { svc_maximum_requests: 40 },
};
const PATHS: Record<string, string> = { '{slug}': 'logs' };

const isFurther = ({ operation }: OperationPlace): boolean => operation.operationId.includes('__');

function requiredOf(surface: SurfaceName, id: string): string[] {
  const contract = readContract(surface);
  const place = operationsOf(contract).find((each) => each.id === id && each.verb === 'post');
  const body = place?.operation.requestBody?.content['application/json']?.schema;
  const input = body && deref(contract, body).properties?.['input'];
  return (input && deref(contract, input).required) ?? [];
}

describe('further verbs', () => {
  let world: World;
  let known: Record<Field, string | number>;
  before(async () => {
    world = await startWorld({ sites: 2 });
    const site_id_or_domain = world.siteId(0);
    const client = await world.ability('add-client-v1', { name: 'Ann' });
    const tag = await world.ability('add-tag-v1', { name: 'Shops' });
    const given = { site_id_or_domain, client_id: client.id as number, tags: [tag.id as number] };
    await world.ability('update-site-v1', given);
    known = { site_id_or_domain, client_id_or_email: client.id, tag_id: tag.id, job_id: UNKNOWN_JOB };
  });
  after(() => world.close());

  async function ask(surface: SurfaceName, { path, verb, id, item }: OperationPlace): Promise<unknown> {
    const base = surface === 'abilities' ? '/abilities/v1' : '/api/v2';
    const address =
      base + path.replace(/\{\w+\}/g, (part) => PATHS[part] ?? assert.fail(`no value for ${part} of ${id}`));
    const ability = item['x-ability'] !== undefined;
    const required = requiredOf(surface, id).map((field) => [field, known[field as Field]]);
    const input = { ...Object.fromEntries(required), ...MORE[id] } as object;
    const query = ability && verb !== 'post' ? `?${qs.stringify({ input }, { encodeValuesOnly: true })}` : '';
    const body = ability ? (verb === 'post' ? { input } : undefined) : BODIES[id];
    if (!ability) assert.ok(body !== undefined, `${id} has no body here`);
    const method = verb.toUpperCase();
    const expect = id === 'get-batch-job-status-v1' ? 404 : 200;
    const answer = await world.request(method, address + query, { expect, ...(body === undefined ? {} : { body }) });
    return answer.body as unknown;
  }

  for (const surface of ['abilities', 'v2'] as const) {
    const places = operationsOf(readContract(surface));
    for (const further of places.filter(isFurther)) {
      const main = places.find((place) => place.id === further.id && !isFurther(place));
      it(`${further.verb.toUpperCase()} answers what ${main?.verb.toUpperCase()} answers for ${further.id}`, async () => {
        assert.ok(main, 'every further verb has an operation that it is a verb of');
        const [first, second] = [await ask(surface, main), await ask(surface, further)];
        assert.deepEqual(second, first);
      });
    }
  }
});
