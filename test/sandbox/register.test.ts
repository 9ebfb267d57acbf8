import assert from 'node:assert/strict';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { callSigned, requireObject, post, register, registration, type Form } from './support/dashboard.ts';

/** Table 2.4 of the protocol. Each request also has the mistakes of all later rows, so the order is tested. */
interface Row {
  name: string;
  code: string | undefined;
  form: Form;
  prepare?: (site: SimulatedSite) => void;
}

const connected = (site: SimulatedSite): void => site.replaceKey('a key', 'https://first.example/wp-admin/');
const setUniqueId = (site: SimulatedSite): void => site.performWpAdminAction({ do: 'set-unique-id', uniqueId: 'id-1' });
const WRONG = { user: 'editor1', userpwd: 'wrong', uniqueId: 'guess', server: 'https://second.example/wp-admin/' };

const TABLE: Row[] = [
  { name: '1 no public key', code: 'REG_ERROR1', form: { ...WRONG, pubkey: undefined }, prepare: connected },
  { name: '1 no user field', code: 'REG_ERROR1', form: { ...WRONG, user: undefined }, prepare: connected },
  {
    name: '2 connected elsewhere, password authentication off',
    code: 'REG_ERROR10',
    form: WRONG,
    prepare: (site) => {
      connected(site);
      setUniqueId(site);
      site.performWpAdminAction({ do: 'set-password-auth', user: 'editor1', on: false });
    },
  },
  {
    name: '3 connected elsewhere',
    code: 'REG_ERROR2',
    form: WRONG,
    prepare: (site) => {
      connected(site);
      setUniqueId(site);
    },
  },
  { name: '4 unique id missing', code: 'REG_ERROR3', form: { ...WRONG, uniqueId: '' }, prepare: setUniqueId },
  { name: '5 unique id wrong', code: 'REG_ERROR4', form: WRONG, prepare: setUniqueId },
  { name: '8a no proof, old dashboard', code: 'REG_ERROR10', form: { userpwd: '', mainwpver: '5.2.9' } },
  { name: '8a no proof, no version', code: 'REG_ERROR10', form: { userpwd: '', mainwpver: undefined } },
  { name: '8b a bad token and no password', code: 'reconnect_failed', form: { userpwd: undefined, regverify: 'x-y' } },
  { name: '8b an empty token and no password', code: 'reconnect_failed', form: { userpwd: undefined, regverify: '' } },
  { name: '8c wrong password', code: 'REG_ERROR7', form: WRONG },
  { name: '8c no password', code: 'REG_ERROR7', form: { userpwd: '' } },
  { name: '8c unknown user', code: 'REG_ERROR7', form: { user: 'nobody' } },
  { name: '9 empty user', code: 'REG_ERROR8', form: { user: '' } },
  { name: '10 no administrator', code: 'REG_ERROR9', form: { user: 'editor1', userpwd: 'editor1-pass' } },
  { name: 'valid registration', code: undefined, form: {} },
];

describe('registrations with the sandbox, in the order of a real child', () => {
  let fleet: Fleet;
  let site: SimulatedSite;

  beforeEach(async () => {
    fleet = await startFleet({ sites: 1 });
    site = fleet.sites[0] as SimulatedSite;
  });
  afterEach(() => fleet.close());

  for (const { name, code, form, prepare } of TABLE) {
    it(`when the case is ${name}, then the result is ${code ?? 'OK'}`, async () => {
      prepare?.(site);
      const answer = await register(site, form);
      assert.equal(answer['error_code'], code);
      assert.equal(answer['register'], code === undefined ? 'OK' : undefined);
    });
  }

  it('when an editor is rejected, then the response still sets login cookies', async () => {
    const answer = await post(site, registration(site, { user: 'editor1', userpwd: 'editor1-pass' }));
    assert.equal(answer.cookies.length, 3);
  });

  it('when a token is sent, then it reconnects the site and is kept, and the newest five are valid', async () => {
    const first = String((await register(site))['regverify']);
    const again = await register(site, { userpwd: undefined, regverify: first });
    assert.equal(again['register'], 'OK');
    assert.equal('regverify' in again, false);
    for (let round = 0; round < 5; round += 1) await register(site);
    const late = await register(site, { userpwd: undefined, regverify: first });
    assert.equal(late['error_code'], 'reconnect_failed');
  });

  it('when a site disconnects, then its token stays valid', async () => {
    const token = String((await register(site))['regverify']);
    assert.deepEqual(await callSigned(site, 'disconnect'), { result: 'success' });
    assert.match(String((await callSigned(site, 'stats'))['error']), /^Authentication failed/);
    assert.equal((await register(site, { userpwd: undefined, regverify: token }))['register'], 'OK');
  });

  it('when a password is sent, then it is decoded once more after the form, and unescaped quotes get slashes', async () => {
    const user = site.state.users[0];
    assert.ok(user !== undefined);
    user.password = `pä'"s %41+w\\d`;
    const whole = [...Buffer.from(user.password)].map((byte) => `%${byte.toString(16)}`).join('');
    assert.equal((await register(site, { userpwd: whole }))['register'], 'OK');
    const bareQuote = encodeURIComponent(user.password);
    assert.equal((await register(site, { userpwd: bareQuote }))['error_code'], 'REG_ERROR7');
  });

  it('when password authentication is off, then the login name is enough to register', async () => {
    site.performWpAdminAction({ do: 'set-password-auth', user: 'admin', on: false });
    assert.equal((await register(site, { userpwd: '' }))['register'], 'OK');
  });

  it('when a public key is invalid, then the registration succeeds and later calls fail', async () => {
    assert.equal((await register(site, { pubkey: 'garbage' }))['register'], 'OK');
    assert.match(String((await callSigned(site, 'stats'))['error']), /^Authentication failed/);
    const hello = requireObject((await post(site, { function: 'stats', user: 'admin' })).json);
    assert.match(String(hello['error']), /already contains a link/);
  });
});
