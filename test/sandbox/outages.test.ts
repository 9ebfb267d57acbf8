import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fault, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import {
  sendSigned,
  post,
  connectedState,
  registration,
  send,
  signedForm,
  type ChildResponse,
} from './support/dashboard.ts';

const lines = <T>(name: string): T[] =>
  readFileSync(new URL(`recordings/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

interface RecordedPage {
  name: string;
  method: string;
  path: string;
  function: string;
  signed: boolean;
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface RecordedRefusal {
  name: string;
  function: string;
  user: string;
  alt_user: string | null;
  signed: boolean;
  answer: Record<string, unknown> | unknown[];
}

/** Start of a recording's name, with the state of the site. */
const SITUATIONS: [string, Fault | 'inactive'][] = [
  ['413', { kind: 'too-large', bytes: 200_000, by: 'server' }],
  ['502', { kind: 'php-down' }],
  ['ajax-301', { kind: 'closed-ajax', status: 301 }],
  ['ajax-401', { kind: 'closed-ajax', status: 401 }],
  ['ajax-403', { kind: 'closed-ajax' }],
  ['ajax-404', { kind: 'closed-ajax', status: 404 }],
  ['ajax-429', { kind: 'closed-ajax', status: 429 }],
  ['database-missing', { kind: 'database', because: 'missing' }],
  ['database-refused', { kind: 'database', because: 'refused' }],
  ['fatal', { kind: 'fatal', when: 'before' }],
  ['maintenance', { kind: 'maintenance' }],
  ['not-installed', { kind: 'not-installed' }],
  ['plugin-inactive', 'inactive'],
  ['post_max_size', { kind: 'too-large', bytes: 200_000, by: 'php' }],
  ['static-server', { kind: 'no-wordpress' }],
  ['wordpress-in-subfolder', { kind: 'no-wordpress', subfolder: true }],
  ['wp-admin-gone', { kind: 'closed-ajax', status: 404 }],
];

describe('error pages of a simulated and a real site', () => {
  const pages = lines<RecordedPage>('pages');
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet({ sites: pages.length, primedKeys: connectedState });
  });
  after(() => fleet.close());

  for (const [index, recorded] of pages.entries())
    it(`when the request is ${recorded.name}, then the page equals the recorded page`, async () => {
      const site = fleet.sites[index] as SimulatedSite;
      const [, situation] = SITUATIONS.find(([name]) => recorded.name.startsWith(name)) ?? [];
      assert.ok(situation, 'no fault for it');
      if (situation === 'inactive') site.performWpAdminAction({ do: 'deactivate-child' });
      else site.fault = situation;
      const answer = await ask(site, recorded);
      assert.equal(answer.status, recorded.status);
      assert.equal(answer.json, undefined);
      for (const name of ['content-type', 'retry-after', 'cache-control', 'www-authenticate'])
        assert.equal(answer.headers[name], recorded.headers[name], name);
      assert.equal(pathOf(answer.headers.location), pathOf(recorded.headers['location']));
      assert.equal(comparablePage(answer.body), comparablePage(recorded.text));
    });
});

/** Sends the recorded request with the same `Accept` header. */
function ask(site: SimulatedSite, { method, path, function: name, signed }: RecordedPage): Promise<ChildResponse> {
  if (method === 'GET') return send(site.url, '', { method, path });
  const form = name === 'register' ? registration(site) : signed ? signedForm(name) : { user: 'admin', function: name };
  const filling = name === 'newpost' ? { new_post: 'x'.repeat(500_000) } : {};
  return post(site, { ...form, ...filling }, { path, headers: { accept: 'application/json' } });
}

const pathOf = (location: string | undefined): string | undefined =>
  location === undefined ? undefined : new URL(location).pathname;

/** Returns code and message of JSON, the title of an error page, or the heading or first sentence of a text. */
function comparablePage(body: string): string {
  if (body.startsWith('{')) {
    const { code, message, data } = JSON.parse(body) as { code: string; message: string; data: { error?: object } };
    return JSON.stringify([code, withoutLinks(message), Object.keys(data.error ?? {})]);
  }
  const title = /<title>([^<]*)<\/title>/.exec(body)?.[1];
  if (title === undefined) return withoutLinks(/^(?:<h1>.*?<\/h1>|[^.]*\.?)/s.exec(body)?.[0] ?? '');
  // Other titles are names of sites.
  return /^(?:\d{3} |Maintenance|Database Error|WordPress )/.test(title) ? title : 'an ordinary page';
}

const withoutLinks = (html: string): string => html.replace(/href="[^"]*"/g, '');

describe('rejections by a simulated site', () => {
  const refusals = lines<RecordedRefusal>('refusals').filter(({ name }) => name !== 'back');
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet({ sites: refusals.length, primedKeys: connectedState });
  });
  after(() => fleet.close());

  for (const [index, recorded] of refusals.entries())
    it(`when a call is rejected as in ${recorded.name}, then the error equals the recorded error`, async () => {
      const site = fleet.sites[index] as SimulatedSite;
      // Adds a second administrator, who can also log in.
      const first = site.state.users.find(({ login }) => login === 'admin');
      assert.ok(first);
      site.state.users.push({ ...first, id: 999, login: 'zweiter', tokens: [] });
      site.translated = recorded.name.endsWith('-translated');
      if (recorded.name.startsWith('demoted'))
        site.performWpAdminAction({ do: 'change-role', user: 'admin', role: 'editor' });
      const { json } = await sendRefusedCall(site, recorded);
      if (Array.isArray(recorded.answer)) {
        assert.equal(Object.hasOwn(json as object, 'error'), false);
        return;
      }
      const { error, error_code: code } = json as Record<string, unknown>;
      assert.equal(code, recorded.answer['error_code']);
      if (site.translated) assert.match(String(error), shapeOf(String(recorded.answer['error'])));
      else assert.equal(error, recorded.answer['error']);
    });

  it('when the site has another language, then all rejections have the same sentence', async () => {
    const site = fleet.sites[0] as SimulatedSite;
    site.translated = true;
    const told = async (user: string, nonce?: string): Promise<unknown> => {
      const form = { user, ...(nonce !== undefined && { nonce }) };
      return ((await sendSigned(site, 'get_site_icon', form)).json as { error?: unknown }).error;
    };
    const wrongKey = await told('admin', 'other');
    const nobody = await told('nobody');
    assert.notEqual(wrongKey, nobody);
    assert.equal(await told('nobody', 'other'), wrongKey);
  });
});

function sendRefusedCall(site: SimulatedSite, { name, function: called, user, alt_user, signed }: RecordedRefusal) {
  if (called === 'register') return post(site, registration(site, { server: 'http://other.example/wp-admin/' }));
  const form = { user, ...(alt_user !== null && { alt_user }) };
  if (!signed) return post(site, { ...form, function: called });
  // The signature belongs to another nonce.
  return sendSigned(site, called, { ...form, ...(name.includes('wrong-signature') && { nonce: 'another' }) });
}

/** Matches a translated text, in which each sentence is `Übersetzt` and a word. */
const shapeOf = (error: string): RegExp => new RegExp(`^${error.replace(/[0-9a-f]{32}/g, '[0-9a-f]{32}')}$`);
