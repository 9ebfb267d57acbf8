import assert from 'node:assert/strict';
import { migrateDown, migrationStatus } from '../../src/db/migrations/index.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestCli, type TestCli } from './support.ts';

describe('admin CLI', () => {
  let store: TestDatabase;
  let cli: TestCli;

  /** Runs a command with --json, which must succeed. Returns its output. */
  async function json<T>(line: string): Promise<T> {
    const { code, out, err } = await cli.call(`${line} --json`);
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  }
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

  beforeEach(async () => {
    store = await openTestDatabase();
    cli = createTestCli(store.database);
  });
  afterEach(async () => {
    await cli.access.waitForWrites();
    await store.close();
  });

  describe('users', () => {
    it('when a user is created, then the password works', async () => {
      const { code, out } = await cli.call('users create --name alice --role viewer');
      assert.equal(code, 0);
      assert.equal((await cli.access.byPassword('alice', lastLine(out)))?.role, 'viewer');
    });

    it('when users are listed, then a table or JSON shows them without secrets', async () => {
      const { password } = await json<{ password: string }>('users create alice --role viewer');
      const [user] = await json<Record<string, unknown>[]>('users list');
      assert.deepEqual(
        { ...user, id: 0, created_at: '' },
        { id: 0, name: 'alice', role: 'viewer', enabled: true, limit: null, created_at: '' },
      );
      const { out } = await cli.call('users list');
      assert.match(out, /^NAME +ROLE +ENABLED +SITES +CREATED\nalice +viewer +yes +all +\d{4}-/);
      assert.ok(!out.includes(password));
    });

    it('when a user gets another password, then it works, and the old ones are revoked on request', async () => {
      const { password } = await json<{ password: string }>('users create alice --role viewer');
      const further = await json<{ password: string }>('users password --name alice --label phone');
      assert.ok(await cli.access.byPassword('alice', password));
      assert.ok(await cli.access.byPassword('alice', further.password));
      const { out } = await cli.call('users password alice --revoke');
      assert.equal(await cli.access.byPassword('alice', password), null);
      assert.ok(await cli.access.byPassword('alice', lastLine(out)));
    });

    it('when a user is disabled, enabled, given a role or deleted, then the change applies at once', async () => {
      const { password } = await json<{ password: string }>('users create alice --role viewer');
      await cli.call('users disable alice');
      assert.equal(await cli.access.byPassword('alice', password), null);
      await cli.call('users enable alice');
      await cli.call('users role alice --role administrator');
      assert.equal((await cli.access.byPassword('alice', password))?.role, 'administrator');
      assert.equal((await cli.call('users delete alice')).code, 1);
      await cli.call('users create bob --role administrator');
      assert.equal((await cli.call('users delete alice')).code, 0);
      assert.equal(await cli.access.findUser('alice'), null);
    });
  });

  describe('keys', () => {
    beforeEach(async () => {
      await cli.call('users create admin --role administrator');
    });

    it('when a key is created, then it works until the end of its last day', async () => {
      const line = 'keys create --user admin --scope read --label reports --expires 2999-01-31';
      const made = await json<Record<string, unknown>>(line);
      assert.equal((await cli.access.byKey(String(made['key'])))?.scope, 'read');
      assert.equal(made['expires_at'], '2999-01-31T23:59:59Z');
      assert.equal((await cli.call('keys create --user admin --scope read --expires 2001-01-31')).code, 1);
      assert.equal((await cli.call('keys create --user nobody --scope read')).code, 1);
    });

    it('when a key is created, then it is printed once on the last line', async () => {
      const { out } = await cli.call('keys create --user admin --scope read_write');
      assert.ok(await cli.access.byKey(lastLine(out)));
      const list = await cli.call('keys list');
      assert.ok(!list.out.includes(lastLine(out)) && list.out.includes(`*${lastLine(out).slice(-7)}`));
    });

    it('when keys are listed, then all are shown', async () => {
      for (let n = 0; n < 3; n++) await cli.call('keys create --user admin --scope read');
      assert.equal((await json<unknown[]>('keys list')).length, 3);
    });

    it('when limits are passed, then the key has them, and edit changes only those that it gets', async () => {
      const options = '--addresses 192.0.2.7/24,2001:db8::1 --rate 600';
      const { id, ...made } = await json<Record<string, unknown>>(`keys create --user admin --scope read ${options}`);
      const limitsOf = ({ allowed_addresses, rate_limit, expires_at, label }: Record<string, unknown>) => [
        ...[allowed_addresses, rate_limit, expires_at, label],
      ];
      const addresses = ['192.0.2.0/24', '2001:db8::1'];
      assert.deepEqual(limitsOf(made), [addresses, 600, null, '']);
      const edit = async (more: string) => limitsOf(await json(`keys edit ${String(id)} ${more}`));
      assert.deepEqual(await edit('--rate none'), [addresses, null, null, '']);
      const expiry = '2999-01-31T23:59:59Z';
      assert.deepEqual(await edit('--expires 2999-01-31 --label ci'), [addresses, null, expiry, 'ci']);
      assert.deepEqual(await edit('--addresses any --expires never'), [null, null, null, 'ci']);
      assert.equal((await cli.call(`keys edit ${String(id)} --addresses example.com`)).code, 1);
    });

    it('when a key is rotated, then the new token is on the last line and the old one works for the overlap', async () => {
      const { id, key } = await json<{ id: number; key: string }>('keys create --user admin --scope read');
      const second = lastLine((await cli.call(`keys rotate ${id}`)).out);
      assert.ok((await cli.access.byKey(key)) && (await cli.access.byKey(second)));
      const third = lastLine((await cli.call(`keys rotate ${id} --overlap 0`)).out);
      assert.deepEqual([await cli.access.byKey(key), await cli.access.byKey(second)], [null, null]);
      assert.ok(await cli.access.byKey(third));
    });

    it('when the last key is deleted, then force is required, and the key can be disabled and enabled', async () => {
      const { id, key } = await json<{ id: number; key: string }>('keys create --user admin --scope write');
      await cli.call(`keys disable ${id}`);
      assert.equal(await cli.access.byKey(key), null);
      await cli.call(`keys enable --id ${id}`);
      assert.ok(await cli.access.byKey(key));
      const refused = await cli.call(`keys delete ${id}`);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /force/);
      assert.equal((await cli.call(`keys delete ${id} --force`)).code, 0);
      assert.equal(await cli.access.byKey(key), null);
    });
  });

  it('when a module is switched, then its state and the list change', async () => {
    await cli.call('modules off logs');
    assert.equal(await cli.modules.isActive('logs'), false);
    assert.match((await cli.call('modules list')).out, /^logs +Logs +off /m);
    await cli.call('modules on --slug logs');
    assert.equal(await cli.modules.isActive('logs'), true);
    assert.equal((await json<unknown[]>('modules list')).length, 11);
  });

  describe('migrate', () => {
    const missing = async () => (await migrationStatus(store.database.knex)).filter(({ applied }) => !applied).length;
    const empty = async () => {
      while ((await migrateDown(store.database.knex)).length > 0);
    };

    it('when migrations are applied, then progress is on standard error, and a second run has nothing to apply', async () => {
      await empty();
      const { code, out, err } = await cli.call('migrate up');
      assert.deepEqual([code, await missing()], [0, 0]);
      assert.match(err, /^Applying \d+ migrations …\n$/);
      assert.match(out, /^Applied \S+create_access\.$/m);
      assert.deepEqual(await cli.call('migrate up'), { code: 0, out: 'There are no migrations to apply.\n', err: '' });
    });

    it('when migrate down is confirmed, then one migration is undone', async () => {
      assert.equal((await cli.call('migrate down')).code, 2);
      assert.equal(await missing(), 0);
      assert.equal((await cli.call('migrate down --yes')).code, 0);
      assert.equal(await missing(), 1);
    });

    it('when the database is empty, then migrate status shows that and changes nothing', async () => {
      await empty();
      const all = await json<{ applied: boolean }[]>('migrate status');
      assert.ok(all.length > 0 && all.every(({ applied }) => !applied));
      assert.ok((await missing()) > 0);
    });

    it('when another command needs migrations, then they are applied first', async () => {
      await empty();
      const { code, out, err } = await cli.call('users list --json');
      assert.deepEqual([code, JSON.parse(out)], [0, []]);
      assert.match(err, /^Applying/);
    });
  });
});
