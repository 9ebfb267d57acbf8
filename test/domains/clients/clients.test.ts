import assert from 'node:assert/strict';
import { readRevision } from '../../../src/db/revisions.ts';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { ClientService, type Client } from '../../../src/domains/clients/index.ts';
import { ConflictError, InvalidError, NotFoundError } from '../../../src/shared/errors.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { loggedChanges } from '../../support/changes.ts';
import { IN_HAMBURG } from '../../support/clients.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { storeSite } from '../../support/sites.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const clock = { now: () => NOW };

const withCode =
  (kind: new (...args: never[]) => Error & { code: string }, code: string) =>
  (error: unknown): boolean =>
    error instanceof kind && error.code === code;

describe('clients', () => {
  let store: TestDatabase;
  let clients: ClientService;
  const create = (name: string, email?: string): Promise<Client> =>
    clients.create({ name, ...(email === undefined ? {} : { email }) }, 'tester');

  withFreshDatabase((fresh) => {
    store = fresh;
    const changeLog = new ChangeLog(clock);
    clients = new ClientService({
      knex: store.database.knex,
      clock,
      changeLog,
      templates: { requireKnown: () => Promise.resolve() },
      onClientDeleted: () => [],
      deletionCounts: () => [],
      onClientMailChanged: () => [],
    });
  });

  it('when a client is created, then it is active and its fields are trimmed', async () => {
    const input = {
      name: ' Harbour Bakery ',
      email: ' Office@Harbour-Bakery.example ',
      phone: '+49 40 123',
      ...{ address1: 'Quay 1', address2: 'Yard' },
      ...IN_HAMBURG,
      note: 'Pays late.',
      linkedin: ' https://www.linkedin.com/company/harbour ',
    };
    const created = await clients.create(input, 'tester');
    assert.deepEqual(created, {
      ...input,
      facebook: '',
      twitter: '',
      instagram: '',
      linkedin: 'https://www.linkedin.com/company/harbour',
      timeZone: '',
      mailFromName: '',
      mailReplyTo: '',
      language: '',
      reportTemplate: '',
      reportText: '',
      siteOrder: '',
      siteIds: [],
      tags: [],
      customFields: {},
      id: created.id,
      name: 'Harbour Bakery',
      email: 'Office@Harbour-Bakery.example',
      status: 'active',
      sitesCount: 0,
      createdAt: NOW,
      updatedAt: NOW,
      revision: 1,
    });
    assert.deepEqual(await clients.detail(ALL_SITES, created.id), created);
  });

  it('when optional fields are omitted, then they are empty strings', async () => {
    const { email, phone, address1, note } = await create('Bare');
    assert.deepEqual({ email, phone, address1, note }, { email: '', phone: '', address1: '', note: '' });
  });

  it('when a client is requested by ID, digits or e-mail address in any case, then it is found', async () => {
    const { id } = await create('A', 'Some.One@Example.com');
    await create('B', 'other@example.com');
    for (const ref of [id, String(id), ' some.one@example.COM '])
      assert.equal((await clients.get(ALL_SITES, ref)).name, 'A');
  });

  it('when a client does not exist, then each kind of reference fails with svc_client_not_found', async () => {
    await create('A');
    for (const ref of [999, '999', 'nobody@example.com', '', '99999999999999999999'])
      await assert.rejects(clients.get(ALL_SITES, ref), withCode(NotFoundError, 'svc_client_not_found'), String(ref));
    assert.equal(await clients.brief(999), null);
  });

  it('when an e-mail address is taken in any case, then the client is rejected, and clients without an address do not conflict', async () => {
    await create('A', 'one@example.com');
    const before = await readRevision(store.database.knex, 'clients');
    await assert.rejects(create('B', 'ONE@Example.com'), withCode(ConflictError, 'svc_already_exists'));
    assert.equal(await readRevision(store.database.knex, 'clients'), before);
    assert.equal((await loggedChanges(store.database.knex, 'type')).length, 1);
    await create('C');
    await create('C');
  });

  it('when several fields are invalid, then the error names each field', async () => {
    const attempt = clients.create({ name: '  ', email: 'nobody', zip: 'x'.repeat(33) }, 'tester');
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof InvalidError);
      assert.deepEqual(error.data.errors?.map(({ path }) => path).sort(), ['email', 'name', 'zip']);
      return true;
    });
    assert.equal((await clients.list(ALL_SITES, {}, { page: 1, perPage: 10 })).total, 0);
  });

  it('when sites belong to a client, then sitesCount counts them', async () => {
    const { id } = await create('A');
    const { id: idle } = await create('B');
    for (const key of ['a.example', 'b.example']) await storeSite(store.database.knex, key, { clientId: id });
    assert.equal((await clients.get(ALL_SITES, id)).sitesCount, 2);
    assert.equal((await clients.get(ALL_SITES, idle)).sitesCount, 0);
  });

  it('when clients are listed, then pages are ordered by name without case and the total is current', async () => {
    await create('zebra');
    await create('Apple', 'apple@example.com');
    assert.equal((await clients.list(ALL_SITES, {}, { page: 1, perPage: 2 })).total, 2);
    await create('mango');
    const first = await clients.list(ALL_SITES, {}, { page: 1, perPage: 2 });
    assert.deepEqual(
      first.items.map(({ name, email, status }) => [name, email, status]),
      [
        ['Apple', 'apple@example.com', 'active'],
        ['mango', '', 'active'],
      ],
    );
    const second = await clients.list(ALL_SITES, {}, { page: 2, perPage: 2 });
    assert.deepEqual([second.total, second.items.map(({ name }) => name)], [3, ['zebra']]);
  });

  it('when a client is created, then the change is logged and the revision is incremented', async () => {
    const before = await readRevision(store.database.knex, 'clients');
    const { id } = await create('Harbour Bakery');
    assert.equal(await readRevision(store.database.knex, 'clients'), before + 1);
    assert.deepEqual(await loggedChanges(store.database.knex, 'type', 'description', 'actor'), [
      { type: 'client.added', description: 'Added the client Harbour Bakery.', actor: 'tester' },
    ]);
    assert.deepEqual(await clients.brief(id), { id, name: 'Harbour Bakery', email: '', status: 'active' });
  });
});
