import assert from 'node:assert/strict';
import { GROUPS } from '../../src/admin-cli/run.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestCli, type TestCli } from './support.ts';

describe('usage of the admin CLI', () => {
  let store: TestDatabase;
  let cli: TestCli;

  before(async () => {
    store = await openTestDatabase();
  });
  beforeEach(() => {
    cli = createTestCli(store.database);
  });
  after(() => store.close());

  it('when help is requested at any level, then it is shown without opening the database', async () => {
    const overview = await cli.call('--help');
    assert.equal(overview.code, 0);
    for (const group of GROUPS) {
      assert.match(overview.out, new RegExp(`^  ${group.name} `, 'm'));
      const help = await cli.call(`${group.name} --help`);
      assert.equal(help.code, 0);
      for (const [name, verb] of Object.entries(group.verbs)) {
        assert.match(help.out, new RegExp(`^  ${name} `, 'm'));
        const one = await cli.call(`${group.name} ${name} -h`);
        assert.equal(one.code, 0);
        assert.ok(one.out.includes(verb.summary) && one.out.includes(`npm run cli -- ${verb.example}`));
        for (const option of Object.keys(verb.options)) assert.ok(one.out.includes(`--${option}`), option);
      }
    }
    assert.equal(cli.opened, 0);
  });

  it('when the examples of the help are parsed, then all are valid', async () => {
    for (const group of GROUPS)
      for (const verb of Object.values(group.verbs)) {
        const { err } = await cli.call(verb.example);
        assert.ok(!/Unknown option|is missing|too many|must be/.test(err), `${verb.example}: ${err}`);
      }
  });

  const WRONG: [string, RegExp][] = [
    ['', /Name a command/],
    ['nonsense', /no command nonsense/],
    ['users', /Name a command for users/],
    ['users nonsense', /no command users nonsense/],
    ['users constructor', /no command users constructor/],
    ['users list --nonsense', /--nonsense/],
    ['users list extra', /extra is an unexpected argument/],
    ['users disable alice --name bob', /alice is an unexpected argument/],
    ['users create --role viewer', /--name is missing/],
    ['users create --name --role viewer', /--name is missing/],
    ['users create --rol viewer', /Did you mean --role/],
    ['keys create --user admin', /--scope is missing/],
    ['keys create --user admin --scope read --expires tomorrow', /--expires must be a date or time such as/],
    ['keys create --user admin --scope read --expires 2027-02-31T00:00:00', /--expires must be a date or time such as/],
    ['keys create --user admin --scope read --expires 2999-02-30', /--expires must be a date or time such as/],
    [
      'keys create --user admin --scope read --expires 2999-02-30T00:00:00Z',
      /--expires must be a date or time such as/,
    ],
    ['keys create --user admin --scope read --rate many', /--rate must be a number/],
    ['keys edit --id 3', /Pass at least one of --label, --expires, --addresses and --rate/],
    ['keys edit --id 3 --addresses ,', /--addresses must name an address, or be any/],
    ['keys rotate --id 3 --overlap -1', /--overlap/],
    ['keys disable --id x', /--id must be a number/],
    ['modules on nonsense', /--slug must be one of/],
    ['migrate down', /Pass --yes/],
  ];
  for (const [line, message] of WRONG)
    it(`when the CLI is called with ${line || '(nothing)'}, then it exits with 2`, async () => {
      const { code, out, err } = await cli.call(line);
      assert.equal(code, 2);
      assert.equal(out, '');
      assert.match(err, message);
      assert.match(err, /--help/);
    });

  it('when a command fails, then the CLI exits with 1 and closes the database', async () => {
    const { code, out, err } = await cli.call('users disable nobody');
    assert.deepEqual({ code, out, err }, { code: 1, out: '', err: 'No user has this name.\n' });
    assert.deepEqual([cli.opened, cli.closed], [1, 1]);
  });

  it('when --json is given, then the error is JSON on standard error', async () => {
    await cli.call('users create --name sole --role administrator');
    const { code, out, err } = await cli.call('users delete sole --json');
    assert.deepEqual([code, out], [1, '']);
    const said = JSON.parse(err) as { code: string; errors: { path: string }[] };
    assert.equal(said.code, 'rest_invalid_param');
    assert.equal(said.errors[0]?.path, 'user');
  });
});
