import assert from 'node:assert/strict';
import qs from 'qs';
import { ABILITY_PATH, basePathOf, operationsOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { startWorld, type CallOptions, type World } from '../support/world.ts';

const contract = readContract('abilities');
const ABILITIES = operationsOf(contract).filter(({ path }) => ABILITY_PATH.test(path));
type Place = (typeof ABILITIES)[number];

interface WithExample {
  example?: unknown;
}

/** Returns the example of a call from the contract. */
const exampleOf = ({ operation: { parameters, requestBody } }: Place): { body?: unknown; query?: string } => {
  if (requestBody) return { body: (requestBody.content['application/json'] as WithExample).example };
  const input = (parameters?.find(({ name }) => name === 'input') as WithExample | undefined)?.example ?? {};
  return { query: `?${qs.stringify({ input }, { encodeValuesOnly: true })}` };
};

/** Errors before an ability is reached are the same for every ability and every method. */
describe('every ability', () => {
  let world: World;
  let limited: World;
  before(async () => {
    world = await startWorld();
    limited = await startWorld({ env: { SITEFLEET_RATE_LIMIT: '1' } });
  });
  after(() => Promise.all([world.close(), limited.close()]));

  const ask = async ({ path, verb }: Place, options: CallOptions & { body?: unknown }, query = '') => {
    const { body } = await world.request<{ code: string }>(
      verb.toUpperCase(),
      `${basePathOf(contract)}${path}${query}`,
      options,
    );
    return body.code;
  };
  const readonly = ({ path }: Place) => contract.paths[path]?.['x-ability']?.readonly === true;
  const withBody = ABILITIES.filter(({ verb }) => verb === 'post');

  it('when the contract is read, then there are more than 61 calls of abilities, 40 of them with a body', () =>
    assert.ok(ABILITIES.length > 61 && withBody.length > 40));

  it('when the credential is missing, then the error is svc_unauthenticated', async () => {
    for (const place of ABILITIES)
      assert.equal(await ask(place, { as: 'nobody', expect: 401 }), 'svc_unauthenticated', place.path);
  });

  it('when the key may only read or only write, then the other calls are rejected', async () => {
    for (const place of ABILITIES) {
      const { body, query } = exampleOf(place);
      for (const as of readonly(place) ? (['writer'] as const) : (['reader', 'viewer'] as const))
        assert.equal(await ask(place, { as, body, expect: 403 }, query), 'svc_permission_denied', place.path);
    }
  });

  it('when a field is unknown, then the error is ability_invalid_input', async () => {
    for (const place of ABILITIES) {
      const code =
        place.verb === 'post'
          ? await ask(place, { body: { input: { no_such_field: 1 } }, expect: 400 })
          : await ask(place, { expect: 400 }, '?input[no_such_field]=1');
      assert.equal(code, 'ability_invalid_input', `${place.verb} ${place.path}`);
    }
  });

  it('when the body is no JSON, then the error is 415', async () => {
    for (const place of withBody) {
      const text = { body: '<input/>', headers: { 'content-type': 'text/xml' }, expect: 415 };
      assert.equal(await ask(place, text), 'rest_unsupported_media_type', place.path);
    }
  });

  it('when the caller exceeds the rate limit, then the error is 429 with Retry-After', async () => {
    await limited.request('GET', '/api/v2/jobs');
    for (const { path, verb } of ABILITIES) {
      const { body, headers } = await limited.request<{ code: string }>(
        verb.toUpperCase(),
        `${basePathOf(contract)}${path}`,
        { expect: 429 },
      );
      assert.equal(body.code, 'svc_rate_limited', path);
      assert.ok(Number(headers['retry-after']) > 0, path);
    }
  });
});
