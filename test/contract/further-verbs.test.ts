import assert from 'node:assert/strict';
import qs from 'qs';
import { deref, operationsOf, type OperationPlace } from '../../src/http/contract.ts';
import { readContract, type SurfaceName } from '../../src/surfaces/generated.ts';
import { checkAnswer } from '../support/contract-check.ts';
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
  // What adds a record adds another one the next time.
  clients_batch: { update: [{ id: 1, city: 'Lyon' }], delete: [99] },
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

  async function askAbility({ path, verb, id }: OperationPlace): Promise<unknown> {
    const required = requiredOf('abilities', id).map((field) => [field, known[field as Field]]);
    const input = { ...Object.fromEntries(required), ...MORE[id] } as object;
    const query = verb === 'post' ? '' : `?${qs.stringify({ input }, { encodeValuesOnly: true })}`;
    const expect = id === 'get-batch-job-status-v1' ? 404 : 200;
    const body = verb === 'post' ? { body: { input } } : {};
    return (await world.request(verb.toUpperCase(), `/abilities/v1${path}${query}`, { expect, ...body }))
      .body as unknown;
  }

  /** With the example of the contract where the test has nothing better; a refusal must be the same one, too. */
  async function askRoute({ path, verb, id, item, operation }: OperationPlace): Promise<unknown> {
    const contract = readContract('v2');
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
      deref(contract, each),
    );
    const address = path.replace(/\{(\w+)\}/g, (part, name: string) => {
      const { example } = (parameters.find((each) => each.name === name) ?? {}) as { example?: unknown };
      return encodeURIComponent(String(known[name as Field] ?? PATHS[part] ?? example));
    });
    const media = operation.requestBody?.content['application/json'] as { example?: unknown } | undefined;
    const body = BODIES[id] ?? media?.example;
    const answer = await fetch(new URL(`/api/v2${address}`, world.url), {
      method: verb.toUpperCase(),
      headers: { ...world.headersOf('admin'), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered = (await answer.json()) as { code?: string };
    assert.ok(
      !['rest_no_route', 'rest_invalid_method', 'rest_invalid_param'].includes(answered.code ?? ''),
      answered.code,
    );
    checkAnswer(verb.toUpperCase(), `/api/v2${address}`, answer.status, answered);
    return { status: answer.status, answered };
  }

  for (const surface of ['abilities', 'v2'] as const) {
    const places = operationsOf(readContract(surface));
    for (const further of places.filter(isFurther)) {
      const main = places.find((place) => place.id === further.id && !isFurther(place));
      it(`${further.verb.toUpperCase()} answers what ${main?.verb.toUpperCase()} answers for ${further.id}`, async () => {
        assert.ok(main, 'every further verb has an operation that it is a verb of');
        const ask = surface === 'abilities' ? askAbility : askRoute;
        const [first, second] = [await ask(main), await ask(further)];
        assert.deepEqual(second, first);
      });
    }
  }
});
