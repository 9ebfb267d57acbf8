import assert from 'node:assert/strict';
import type { LocatedOperation } from '../../src/contract/index.ts';
import { BODY_LIMIT } from '../../src/http/request-middleware.ts';
import type { IdempotencyClaim } from '../../src/shared/idempotency-store.ts';
import { PERMISSION_FACTS } from '../../src/shared/permissions.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { basic, bearer, startSmallApp, type SmallApp } from '../http/small-app.ts';
import { checkResponse } from '../support/contract-check.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { exampleRequest, type ExampleRequest } from '../../src/contract-checks/index.ts';

/** Errors that all operations share, tested with the whole contract and without real services. */
describe('every operation', () => {
  const contracts = { abilities: readContract('abilities'), routes: readContract('v2') };
  const operations = documentedOperations();
  const failing = Object.fromEntries(
    operations.map(({ place }) => [
      place.id,
      async () => {
        throw new Error('select secret from site_secrets');
      },
    ]),
  );
  /** Result of the idempotency store. */
  let claim: IdempotencyClaim;
  const answers = { claim: async () => claim, settle: async () => undefined, abandon: async () => undefined };
  // The test checks each response. The check of the service would compile a dozen responses per operation.
  const start = (rateLimit = 0): Promise<SmallApp> =>
    startSmallApp({ contracts, handlers: failing, idempotencyStore: answers, rateLimit, responseChecks: 'off' });
  let app: SmallApp;
  before(async () => (app = await start()));
  after(() => app.close());
  beforeEach(() => (claim = { kind: 'mine', id: '' }));

  type Spoilt = Partial<ExampleRequest> & { as?: string | null; headers?: Record<string, string> };
  /** Calls each operation, checks the response against the contract, and returns the number of calls. */
  async function refused(
    status: number,
    code: string,
    spoil: (place: LocatedOperation) => Spoilt | null,
    of = app,
    data: unknown[] = [],
  ): Promise<number> {
    let asked = 0;
    for (const { contract, place } of operations) {
      const spoilt = spoil(place);
      if (!spoilt) continue;
      asked++;
      const { as, headers = {}, ...request } = spoilt;
      const { method, path, contentType, body } = { ...(await exampleRequest(contract, place)), ...request };
      const answer = await of.call(method, path, {
        ...(as === undefined ? {} : { as }),
        ...(body === null ? {} : { body }),
        headers: { ...(contentType === null ? {} : { 'content-type': contentType }), ...headers },
      });
      const told = [place.operation.operationId, answer.status, answer.json?.code];
      assert.deepEqual(told, [place.operation.operationId, status, code], answer.text);
      checkResponse(method, path, answer.status, answer.json);
      data.push(answer.json.data);
    }
    return asked;
  }

  it('when the caller sends no credential, then the response is 401', async () => {
    assert.equal(await refused(401, 'svc_unauthenticated', () => ({ as: null })), operations.length);
  });

  it('when the role lacks the permission, then the response is 403 and names it', async () => {
    const named: unknown[] = [];
    const isFree = ({ operation }: LocatedOperation): boolean => operation['x-permission'] === 'me:read';
    const limited = operations.filter(({ place }) => !isFree(place));
    const spoil = (place: LocatedOperation) => (isFree(place) ? null : { as: basic('nobody') });
    const asked = await refused(403, 'svc_permission_denied', spoil, app, named);
    assert.equal(asked, operations.length - 1);
    assert.deepEqual(
      named,
      limited.map(({ place }) => ({ status: 403, permission: place.operation['x-permission'] })),
    );
  });

  it('when the scope of the key excludes the permission, then the response is 403', async () => {
    const without = { read: bearer('writes'), write: bearer('reads'), read_write: bearer('writes'), any: null };
    const asked = await refused(403, 'svc_permission_denied', ({ operation }) => {
      const scope = PERMISSION_FACTS[operation['x-permission'] ?? '']?.scope ?? 'any';
      return scope === 'any' ? null : { as: without[scope] };
    });
    assert.ok(asked > 400);
  });

  it('when a credential exceeds its rate limit, then the response is 429', async () => {
    const limiting = await start(1);
    await limiting.call('GET', '/api/v2/tags');
    assert.equal(await refused(429, 'svc_rate_limited', () => ({}), limiting), operations.length);
    await limiting.close();
  });

  it('when an unexpected error occurs, then the response is 500 without its text', async () => {
    const asked = await refused(500, 'svc_internal_error', () => ({}));
    assert.equal(asked, operations.length);
    assert.equal(app.logs.filter(({ msg }) => msg === 'request failed').length, asked, 'each of them is logged');
  });

  it('when an idempotency key belongs to another or a running call, then the response is 409', async () => {
    const keyed = operations.filter(({ place }) => place.verb !== 'get').length;
    const headers = { 'idempotency-key': 'a-key-of-a-call' };
    for (const [kind, code] of [
      ['other', 'svc_idempotency_conflict'],
      ['running', 'svc_idempotency_in_progress'],
    ] as const) {
      claim = { kind };
      assert.equal(await refused(409, code, ({ verb }) => (verb === 'get' ? null : { headers })), keyed);
    }
  });

  const documenting = (status: number): Set<LocatedOperation> =>
    new Set(operations.filter(({ has }) => has(status)).map(({ place }) => place));

  it('when a body is too large, then the response is 413 before the body is read', async () => {
    // The rest of the body is never sent, so the connection cannot be used again.
    const headers = { 'content-length': String(BODY_LIMIT + 1), connection: 'close' };
    // A package has a limit of its own, of 64 MiB without the other fields of its form.
    const ofPackage = { ...headers, 'content-length': String(80 * 1024 * 1024) };
    const places = documenting(413);
    const asked = await refused(413, 'svc_request_too_large', (place) =>
      places.has(place) ? { headers: place.id === 'packages_upload' ? ofPackage : headers } : null,
    );
    assert.ok(asked === places.size && asked > 100);
  });

  it('when a body has another media type, then the response is 415', async () => {
    const other = { contentType: 'application/xml', body: '<input/>' };
    const places = documenting(415);
    const asked = await refused(415, 'rest_unsupported_media_type', (place) => (places.has(place) ? other : null));
    assert.ok(asked === places.size && asked > 100);
  });
});
