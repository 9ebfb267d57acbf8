import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { newUser } from '../../src/sandbox/state/generate-content.ts';
import {
  encode,
  connectedState,
  publicKeyPem,
  send,
  SERVER,
  signedForm,
  type ChildResponse,
  type Form,
} from './support/dashboard.ts';

interface Step {
  name: string;
  path: string;
  fields: Form;
  signed: boolean;
  status: number;
  answer: Form | unknown[];
  active: boolean;
  options: string[];
}

/** Steps that were done by hand in wp-admin. */
const BY_HAND: Record<string, 'activate-child' | 'deactivate-child'> = {
  'end-25-unsigned-stats-after-reactivation': 'activate-child',
  'end-28-signed-after-deactivation-by-hand': 'deactivate-child',
  'end-29-signed-after-activation-by-hand': 'activate-child',
};

/** Options of a real child that the simulated child has too. */
const OPTIONS: [string, (site: SimulatedSite) => boolean][] = [
  ['mainwp_child_connected_admin', ({ state }) => state.connection.connectedAdmin !== ''],
  ['mainwp_child_openssl_sign_algo', ({ state }) => state.connection.signAlgo > 0],
  ['mainwp_child_pubkey', ({ state }) => state.connection.publicKey !== null],
  ['mainwp_child_server', ({ state }) => state.connection.server !== ''],
];

/** Repeats the recorded steps of a real child that was connected and disconnected in all ways. */
describe('connection state of a simulated and a real site', () => {
  const steps = readFileSync(new URL('recordings/endings.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
  let fleet: Fleet;
  let site: SimulatedSite;
  let token = '';

  before(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    site = fleet.sites[0] as SimulatedSite;
    const { state } = site;
    state.core.version = '6.9.7';
    state.hosting = { wpe: 0, wphost: '' };
    state.iconUrl = '';
    const person = { id: 90, login: 'second', email: 'second@x.test', role: 'administrator', registered: 1 };
    state.users.push(newUser({ ...person, password: site.adminPassword }));
    site.touch();
  });
  after(() => fleet.close());

  const sendStep = ({ path, fields, signed }: Step): Promise<ChildResponse> => {
    const form: Form = { ...fields };
    if (form['pubkey'] !== undefined) form['pubkey'] = publicKeyPem;
    if (form['server'] === 'http://dash.example/wp-admin/') form['server'] = SERVER;
    if (form['userpwd'] !== undefined) form['userpwd'] = site.adminPassword;
    if (form['regverify'] !== undefined) form['regverify'] = token;
    const body = signed ? signedForm(String(fields['function']), form) : { mainwpver: '6.1.2', ...form };
    return send(site.url, encode(body), { path });
  };

  for (const step of steps)
    it(`when the step is ${step.name}, then both sites store the same`, async () => {
      const hand = BY_HAND[step.name];
      if (hand) site.performWpAdminAction({ do: hand });
      const { status, json, body } = await sendStep(step);
      assert.equal(status, step.status);
      const made = json as Form | undefined;
      const { answer } = step;
      if (Array.isArray(answer)) assert.deepEqual(made, answer);
      else if ('register' in answer) {
        assert.deepEqual([made?.['register'], made?.['user']], [answer['register'], answer['user']]);
        assert.equal(made && 'regverify' in made, 'regverify' in answer);
        if (made?.['user'] === 'admin' && typeof made['regverify'] === 'string') token = made['regverify'];
      } else if ('body' in answer) assert.equal(body.slice(0, 15), String(answer['body']).slice(0, 15));
      else assert.deepEqual(made, answer);
      assert.equal(site.state.childActive, step.active);
      const kept = OPTIONS.filter(([, has]) => has(site)).map(([name]) => name);
      const signs = (names: string[]): string[] => names.filter((name) => !name.endsWith('sign_algo'));
      assert.deepEqual(signs(kept), signs(step.options));
    });
});
