import assert from 'node:assert/strict';
import { exampleRequest, namesIn } from '../../src/contract-checks/index.ts';
import { operationPoliciesOf } from '../../src/http/operation-policy.ts';
import { DocumentedWorld } from '../processes/documented-world.ts';
import { documentedOperations, type DocumentedOperation } from '../support/documented-operations.ts';

const VOLATILE = /^(date|x-request-id|ratelimit.*|content-length|etag)$/;

/** Two worlds that go through the same steps, so that their records have the same names. */
interface Caller {
  world: DocumentedWorld;
  isLimited: boolean;
  keyId: number;
  token: string;
  /** ID of a client that has a site during each call. */
  owner: number;
}

const policyOf = ({ contract, place }: DocumentedOperation) =>
  operationPoliciesOf(contract).get(place.operation.operationId) ?? assert.fail();

const isWrite = ({ place: { item, verb } }: DocumentedOperation): boolean =>
  item['x-ability'] ? !item['x-ability'].readonly : verb !== 'get';

/** Limited callers see and change only their own keys, whatever their limit contains. */
const isOfKeys = (operation: DocumentedOperation): boolean => policyOf(operation).permission === 'access:manage';

/** A default service has no mail server, and its example mail, the digest, is about the whole fleet. */
const needsMailServer = ({ place }: DocumentedOperation): boolean => place.operation.operationId === 'outbox_resend';

const writes = documentedOperations(
  (operation) =>
    isWrite(operation) && policyOf(operation).appliesSiteLimit && !isOfKeys(operation) && !needsMailServer(operation),
);

async function startCaller(isLimited: boolean): Promise<Caller> {
  const world = await DocumentedWorld.start();
  const key = JSON.stringify({ scope: 'read_write', description: 'caller' });
  const { data } = (await world.send('POST', '/api/v2/rest-api/add-key', key)).body;
  return { world, isLimited, keyId: data.id, token: data.token, owner: await world.client() };
}

/** A limited caller does not see tags and buckets without sites. */
async function surround({ world, isLimited, keyId, owner }: Caller): Promise<void> {
  const idsOf = async (kind: string): Promise<number[]> => {
    const { body } = await world.send('GET', `/api/v2/${kind}?per_page=500&_fields=id`);
    return (body.data as { id: number }[]).map(({ id }) => id);
  };
  const put = async (path: string, body: object): Promise<void> => {
    const { status } = await world.send('PUT', `/api/v2/${path}`, JSON.stringify(body));
    assert.equal(status, 200, path);
  };
  const [sites, clients, tags] = [await idsOf('sites'), await idsOf('clients'), await idsOf('tags')];
  await put(`sites/${world.id(1)}/edit`, { groupids: tags, client_id: owner });
  for (const bucket of await idsOf('time-tracker/buckets'))
    await put(`time-tracker/buckets/${bucket}/edit`, { clients: [owner] });
  await put(`rest-api/edit-key/${keyId}`, { limit: isLimited ? { sites, clients, tags } : null });
}

async function call(caller: Caller, { contract, place }: DocumentedOperation) {
  const { world, token, owner } = caller;
  const { operationId } = place.operation;
  const given = await world.prepare(operationId, namesIn(contract, place));
  // A limited caller cannot add buckets without a client.
  if (operationId === 'time_tracker_buckets_add') given['clients'] = [owner];
  await surround(caller);
  const { method, path, body, contentType } = await exampleRequest(contract, place, given);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(contentType === null ? {} : { 'content-type': contentType }),
  };
  const answer = await fetch(world.service.url + path, { method, headers, body });
  const kept = [...answer.headers].filter(([name]) => !VOLATILE.test(name));
  const text = withoutAddresses(await answer.text(), world);
  return { status: answer.status, headers: kept, body: JSON.parse(text, comparable) as Record<string, unknown> };
}

function withoutAddresses(text: string, world: DocumentedWorld): string {
  const addresses = [world.service.url, ...[0, 1, 2, 3].map((index) => world.site(index).url)];
  return addresses.reduce((left, url, index) => left.replaceAll(new URL(url).host, `host-${index}`), text);
}

/** Replaces IDs, times, durations and ports, which differ between two runs. A missing ID stays null. */
function comparable(name: string, value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d:\d\d)/g, 'TIME')
      .replace(/^\d\d+:\d\d:\d\d$/, 'TIME')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
  if (typeof value === 'number') return /(^|_)(id|ms|seconds|port)$/.test(name) ? typeof value : value;
  if (Array.isArray(value) && /(^|_)(ids|sites)$/.test(name))
    return value.map((each: unknown) => (typeof each === 'number' ? 'ID' : each));
  return value;
}

/**
 * Takes the results of additions of clients and tags out of a batch, and returns their errors. A batch of one kind has
 * its groups at the top, the general one those of each kind.
 */
function takeAdditions(id: string, body: Record<string, unknown>): unknown[] {
  const kinds = id.startsWith('batch_run') ? Object.keys(body) : [id.replace(/_batch.*/, '')];
  return kinds.flatMap((kind) => {
    const [add] = documentedOperations(({ place }) => place.operation.operationId === `${kind}_add`);
    if (add === undefined || policyOf(add).appliesSiteLimit) return [];
    const groups = (id.startsWith('batch_run') ? body[kind] : body) as { create?: { error?: { code: string } }[] };
    const { create = [] } = groups;
    delete groups.create;
    return create.map(({ error }) => error?.code);
  });
}

// The services have their default configuration, and so does their database: it is SQLite in each run. ETags are not
// compared, because they cover IDs and times, which differ between the two worlds; the test of reads compares them.
if (!process.env['TEST_DATABASE_URL'])
  describe('writes of a caller whose limit contains every site', () => {
    let free: Caller;
    let limited: Caller;
    before(async () => {
      free = await startCaller(false);
      limited = await startCaller(true);
    });
    after(async () => {
      await free.world.close();
      await limited.world.close();
    });

    it('when the writes that support limits are counted, then there are more than a hundred', () =>
      assert.ok(writes.length > 100, String(writes.length)));

    for (const operation of writes) {
      const { operationId } = operation.place.operation;
      it(`when ${operationId} is called, then the answer is that of a caller without a limit`, async () => {
        const [theirs, mine] = [await call(free, operation), await call(limited, operation)];
        assert.equal(theirs.status, 200, JSON.stringify(theirs.body));
        if (policyOf(operation).isBatch) {
          const [added, refused] = [takeAdditions(operationId, theirs.body), takeAdditions(operationId, mine.body)];
          for (const code of added) assert.equal(code, undefined);
          assert.deepEqual(
            refused,
            added.map(() => 'svc_outside_limits'),
          );
        }
        assert.deepEqual(mine, theirs);
      });
    }
  });
