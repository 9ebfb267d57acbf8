import assert from 'node:assert/strict';
import { type SimulatedSite } from '../../src/sandbox/index.ts';
import { phpJson } from '../../src/sandbox/protocol/frame.ts';
import { parseForm } from '../../src/sandbox/protocol/form.ts';
import { SIGNED_BODY, PUBLIC_KEY_PEM } from '../connector/signature-vectors.ts';
import {
  callSigned,
  sendSigned,
  requireObject,
  post,
  register,
  registration,
  send,
  signedForm,
} from './support/dashboard.ts';
import { withFreshSite } from './support/fresh-site.ts';

describe('wire protocol of the sandbox', () => {
  let site: SimulatedSite;

  withFreshSite((fresh) => ({ site } = fresh));

  it('when the example of the protocol is sent, then it is accepted, but not with another nonce', async () => {
    site.loseKey();
    assert.equal((await register(site, { pubkey: PUBLIC_KEY_PEM }))['register'], 'OK');
    const answer = await send(site.url, SIGNED_BODY);
    assert.equal(requireObject(answer.json)['wpversion'], site.state.core.version);
    const other = await send(site.url, SIGNED_BODY.replace('nonce=1234', 'nonce=1235'));
    assert.match(String(requireObject(other.json)['error']), /^Authentication failed!/);
    assert.equal('error_code' in requireObject(other.json), false);
  });

  it('when the sandbox responds, then the JSON in the frame is escaped like that of PHP', async () => {
    assert.equal(phpJson({ a: 'café/😀"' }), '{"a":"caf\\u00e9\\/\\ud83d\\ude00\\""}');
    site.loseKey();
    site.state.core.version = '7.0.4';
    const { body } = await post(site, { function: 'stats', user: 'admin' });
    assert.match(body, /^<mainwp>[A-Za-z0-9+/]+=*<\/mainwp>$/);
    const hosting = JSON.stringify(site.state.hosting).slice(1);
    assert.equal(
      Buffer.from(body.slice(8, -9), 'base64').toString(),
      `{"version":"6.1","wpversion":"7.0.4",${hosting}`,
    );
  });

  it('when a form is sent, then it is parsed like in PHP', () => {
    const fields = parseForm('a=1+2&a=3%2B4&l[0]=x&l[1]=y&m[k][]=z&toString=t');
    assert.deepEqual(JSON.parse(JSON.stringify(fields)), { a: '3+4', l: ['x', 'y'], m: { k: ['z'] }, toString: 't' });
  });

  for (const algo of [6, 7, 8, 9]) {
    it(`when sign_algo is ${algo}, then the signature is accepted`, async () =>
      assert.ok((await callSigned(site, 'stats', {}, { algo }))['version']));
  }

  it('when verifylib is sent, then a PSS signature with a salt of 32 bytes is accepted', async () => {
    assert.ok((await callSigned(site, 'stats', {}, { pss: true }))['version']);
  });

  it('when a stronger digest than SHA-1 was used, then SHA-1 is rejected afterwards', async () => {
    site.state.connection.signAlgo = 0;
    assert.ok((await callSigned(site, 'stats', {}, { algo: undefined }))['version']);
    assert.ok((await callSigned(site, 'stats', {}, { algo: 1 }))['version']);
    assert.match(String((await callSigned(site, 'stats', {}, { algo: undefined }))['error']), /^Authentication failed/);
    assert.ok((await callSigned(site, 'stats', {}, { algo: 7 }))['version']);
    assert.match(String((await callSigned(site, 'stats', {}, { algo: 1 }))['error']), /OPENSSL_ALGO_SHA1/);
  });

  it('when the same body is sent twice, then it is executed twice', async () => {
    const form = signedForm('stats');
    assert.deepEqual(
      requireObject((await post(site, form)).json)['plugins'],
      requireObject((await post(site, form)).json)['plugins'],
    );
  });

  it('when a call has no valid cookie, then it gets six, and none is valid after the sessions are destroyed', async () => {
    const first = await sendSigned(site, 'stats');
    assert.equal(first.cookies.length, 6);
    assert.ok(first.cookies.every((line) => line.includes('HttpOnly') && !line.includes('secure')));
    const cookie = first.cookies.map((line) => line.split(';', 1)[0]).join('; ');
    assert.equal((await post(site, signedForm('stats'), { headers: { cookie } })).cookies.length, 0);
    await post(site, signedForm('settings_tools', { action: 'force_destroy_sessions' }), { headers: { cookie } });
    assert.equal((await post(site, signedForm('stats'), { headers: { cookie } })).cookies.length, 6);
  });

  it('when sync_regverify is sent, then a token is returned, but not with a session', async () => {
    const first = await sendSigned(site, 'stats', { sync_regverify: 1 });
    assert.match(String(requireObject(first.json)['regverify_info']), /^[0-9a-f]{40}-[0-9a-f]{40}$/);
    const cookie = first.cookies.map((line) => line.split(';', 1)[0]).join('; ');
    const second = await post(site, signedForm('stats', { sync_regverify: 1 }), { headers: { cookie } });
    assert.equal(requireObject(second.json)['regverify_info'], false);
    assert.equal('regverify_info' in (await callSigned(site, 'stats')), false);
  });

  it('when comments are read again, then their e-mail addresses are masked in another way', async () => {
    const emails = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const comments = (await callSigned(site, 'stats'))['recent_comments'] as { author_email: string }[];
      assert.ok(comments.length > 0);
      emails.add(JSON.stringify(comments.map((comment) => comment.author_email)));
    }
    assert.equal(emails.size, 3);
  });

  it('when syncdata is sent, then it is stored and selects the fields of later responses', async () => {
    const off = await callSigned(site, 'stats', { syncdata: '{"plugins":0,"themes":1}' });
    assert.equal('plugins' in off, false);
    assert.equal('plugins' in (await callSigned(site, 'stats')), false);
    assert.ok('plugins' in (await callSigned(site, 'stats', { syncdata: '{}' })));
    assert.equal('users' in (await callSigned(site, 'stats')), false);
    assert.ok('users' in (await callSigned(site, 'stats', { optimize: 1 })));
  });

  it('when a captured signature is sent, then it opens wp-admin', async () => {
    const { function: _, ...fields } = signedForm('stats');
    const query = new URLSearchParams({ ...(fields as Record<string, string>), login_required: '1', where: 'stats' });
    const answer = await send(site.url, '', { method: 'GET', path: `/?${query.toString()}` });
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, `${site.siteUrl}/wp-admin/stats`);
    assert.equal(answer.cookies.length, 3);
  });

  it('when a visitor requests the front page, then it is served, and other paths are 404', async () => {
    const page = await send(site.url, '', { method: 'GET', path: '/' });
    assert.equal(page.status, 200);
    assert.match(page.body, /^<!DOCTYPE html>/);
    const head = await send(site.url, '', { method: 'HEAD', path: '/' });
    assert.deepEqual([head.status, head.body], [200, '']);
    assert.equal((await send(site.url, '', { method: 'GET', path: '/nowhere/' })).status, 404);
    const ajax = await send(site.url, '');
    assert.deepEqual([ajax.status, ajax.body], [400, '0']);
    assert.equal((await send(site.url, '', { path: '/' })).status, 200);
  });

  it('when requests arrive, then they are recorded without secrets', async () => {
    await post(site, registration(site), { headers: { authorization: 'Basic x' } });
    const [entry] = site.requests;
    assert.equal(entry?.function, 'register');
    assert.ok(entry !== undefined && entry.finishedAt !== null && entry.finishedAt >= entry.at);
    assert.equal(JSON.stringify(site.requests).includes(site.adminPassword), false);
    assert.equal(entry.headers['authorization'], undefined);
  });
});
