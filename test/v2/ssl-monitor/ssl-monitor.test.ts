import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { DAY } from '../../../src/shared/clock.ts';
import {
  createAuthority,
  issueCertificate,
  type CertificateAuthority,
  type CertificateOptions,
  type IssuedCertificate,
} from '../../support/certificates.ts';
import { emptyFields } from '../../support/empty-fields.ts';
import { withoutModule } from '../../support/modules.ts';
import { editSettings, ManualClock } from '../../support/schedules.ts';
import {
  checkCertificate,
  listCertificates,
  moveSite,
  readCertificate,
  seenCertificates,
} from '../../support/ssl-monitor.ts';
import { HOSTILE_HANDLERS, serveRaw, serveTls, type LocalServer, type TlsServer } from '../../support/tls-servers.ts';
import { startWorld, type World } from '../../support/world.ts';

const BASE = '/api/v2/ssl-monitor';
/** Indexes of the sites. Each site has another kind of certificate. */
const [GOOD, SOON, PAST, EARLY, OTHER, SELF, PLAIN, FAR, FRESH] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

describe('v2 SSL monitor', () => {
  let world: World;
  let trusted: CertificateAuthority;
  let clock: ManualClock;
  let good: IssuedCertificate;
  const servers: (TlsServer | LocalServer)[] = [];
  const id = (index: number): number => world.siteId(index);
  const show = async (index: number, issued: IssuedCertificate): Promise<TlsServer> => {
    const server = await serveTls(issued);
    servers.push(server);
    await moveSite(world, id(index), server.url);
    return server;
  };
  const trustedOne = (options: CertificateOptions) => trusted.issue(options);

  before(async () => {
    trusted = await createAuthority('Trusted');
    clock = new ManualClock(new Date().toISOString());
    const outbound = { certificateAuthorities: [trusted.root.cert] };
    world = await startWorld({ sites: 9, overrides: { clock, outbound, deadlines: { checkMs: 60_000 } } });
    const now = clock.now();
    good = await trustedOne({ subject: 'CN=shop.test, O=Shop, OU=Web, L=Porto, ST=Norte, C=PT', to: now + 60 * DAY });
    await show(GOOD, good);
    await show(SOON, await trustedOne({ to: now + 10 * DAY + DAY / 2 }));
    await show(PAST, await trustedOne({ from: now - 9 * DAY, to: now - 2 * DAY }));
    await show(EARLY, await trustedOne({ from: now + DAY, to: now + 90 * DAY }));
    await show(OTHER, await trustedOne({ names: ['other.test'], to: now + 50 * DAY }));
    await show(SELF, await issueCertificate({ to: now + 40 * DAY }));
    const gone = await serveRaw(() => undefined);
    await gone.close();
    await moveSite(world, id(FAR), gone.url);
    for (const index of [GOOD, SOON, PAST, EARLY, OTHER, SELF, PLAIN, FAR]) await checkCertificate(world, id(index));
  });
  after(async () => {
    await world.close();
    for (const server of servers) await server.close();
  });

  it('when a valid certificate is checked, then every field is filled', async () => {
    const status = await readCertificate(world, id(GOOD));
    const seen = new X509Certificate(good.cert);
    assert.deepEqual(status, {
      id: id(GOOD),
      site_id: id(GOOD),
      name: status.name,
      url: status.url,
      host: '127.0.0.1',
      port: Number(new URL(status.url).port),
      status: 'valid',
      valid: true,
      common_name: 'shop.test',
      subject: { CN: 'shop.test', O: 'Shop', OU: 'Web', L: 'Porto', ST: 'Norte', C: 'PT' },
      alt_names: ['127.0.0.1'],
      issuer: { CN: 'Trusted Issuing', O: 'Trusted', C: 'PT' },
      issuer_o: 'Trusted',
      issuer_cn: 'Trusted Issuing',
      serial_number: seen.serialNumber,
      fingerprint_sha256: seen.fingerprint256.replaceAll(':', '').toLowerCase(),
      signature_algorithm: 'ecdsa-with-SHA256',
      key_type: 'ec',
      key_bits: 256,
      valid_from: new Date(seen.validFrom).toISOString().replace('.000', ''),
      valid_to: new Date(seen.validTo).toISOString().replace('.000', ''),
      days_left: 59,
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      chain_length: 2,
      self_signed: false,
      weaknesses: [],
      revocation_checked: false,
      error: null,
      notify_threshold_days: 14,
      own_threshold: false,
      last_check: status.last_check,
      next_check: status.next_check,
    });
    assert.equal(Date.parse(status.last_check), Math.floor(clock.now() / 1000) * 1000);
    assert.match(status.next_check, /T04:10:00Z$/);
    assert.ok(Date.parse(status.next_check) > clock.now());
  });

  it('when sites have different certificates, then each has its status and error', async () => {
    const states = await Promise.all(
      [GOOD, SOON, PAST, EARLY, OTHER, SELF, PLAIN, FAR, FRESH].map(async (index) => {
        const { status, valid, error, days_left } = await readCertificate(world, id(index));
        return [status, valid, error?.code ?? null, days_left];
      }),
    );
    assert.deepEqual(states, [
      ['valid', true, null, 59],
      ['expiring', true, null, 10],
      ['expired', false, null, -3],
      ['not_yet_valid', false, null, 89],
      ['mismatch', false, 'cert_hostname_mismatch', 49],
      ['untrusted', false, 'cert_untrusted', 39],
      ['no_tls', false, 'no_certificate', null],
      ['unreachable', false, 'connect_refused', null],
      ['unknown', false, null, null],
    ]);
    const fresh = await readCertificate(world, id(FRESH));
    assert.deepEqual([fresh.subject, fresh.issuer, fresh.alt_names, fresh.last_check], [null, null, [], null]);
  });

  it('when certificates are listed, then each site URL has one, and filters and orders apply', async () => {
    const { body, headers } = await world.request('GET', `${BASE}/info?per_page=4&page=2`, { as: 'reader' });
    assert.deepEqual([body.total, body.page, body.per_page, body.pages], [9, 2, 4, 3]);
    assert.equal(headers['x-wp-total'], '9');
    assert.equal(Object.keys(body.data).length, 4);
    for (const [url, [status, ...more]] of Object.entries(body.data as Record<string, { url: string }[]>))
      assert.deepEqual([status?.url, more], [url, []]);
    const states = ['unknown', 'valid', 'expiring', 'expired', 'mismatch', 'untrusted', 'not_yet_valid'];
    for (const state of [...states, 'unreachable', 'no_tls']) {
      const found = await listCertificates(world, `&status=${state}`);
      assert.deepEqual(
        found.map(({ status }) => status),
        [state],
      );
    }
    const ends = await listCertificates(world, '&orderby=valid_to');
    const known = ends.flatMap(({ valid_to }) => (valid_to === null ? [] : [valid_to as string]));
    assert.equal(known.length, 6);
    assert.deepEqual(known, [...known].sort());
    assert.deepEqual(
      ends.slice(6).map(({ valid_to }) => valid_to),
      [null, null, null],
    );
    const backward = await listCertificates(world, '&orderby=valid_to&order=desc');
    assert.deepEqual(
      backward.slice(0, 6).map(({ id: siteId }) => siteId),
      ends
        .slice(0, 6)
        .map(({ id: siteId }) => siteId)
        .reverse(),
    );
    const urls = (await listCertificates(world)).map(({ url }) => url as string);
    assert.deepEqual(
      (await listCertificates(world, '&order=desc')).map(({ url }) => url as string),
      urls.toReversed(),
    );
    const chosen = await listCertificates(world, `&include=${id(GOOD)},${id(PAST)}&exclude=${id(PAST)}`);
    assert.deepEqual(
      chosen.map(({ id: siteId }) => siteId),
      [id(GOOD)],
    );
    const { port } = await readCertificate(world, id(SELF));
    assert.equal((await listCertificates(world, `&search=${port}`)).length, 1);
    assert.deepEqual((await listCertificates(world, '&search=nobody')).length, 0);
  });

  it('when there are more sites, then the list needs no more SQL statements', async () => {
    const short = await world.countStatements(() => listCertificates(world, `&include=${id(GOOD)}`));
    const long = await world.countStatements(() => listCertificates(world));
    assert.equal(long, short);
  });

  it('when time passes, then status is computed for the current time, in lists as in records', async () => {
    const began = clock.now();
    for (const days of [3, 12, 40, 61, 100]) {
      clock.time = began + days * DAY;
      for (const status of await listCertificates(world))
        assert.deepEqual(
          (await listCertificates(world, `&include=${status.id}&status=${status.status}`)).length,
          1,
          `${status.status} behind ${days} days`,
        );
    }
    assert.equal((await readCertificate(world, id(GOOD))).status, 'expired');
    clock.time = began;
    assert.equal((await readCertificate(world, id(GOOD))).status, 'valid');
  });

  it('when a threshold is set for one site or for all, then it applies immediately, and null removes it', async () => {
    const edit = (body: object, options: object = {}, method = 'PUT') =>
      world.request(method, `${BASE}/info/${id(GOOD)}/edit`, { body, ...options });
    const { body } = await edit({ notify_threshold_days: 59 });
    const { status, notify_threshold_days, own_threshold } = body.data;
    assert.deepEqual([status, notify_threshold_days, own_threshold], ['expiring', 59, true]);
    assert.equal((await listCertificates(world, '&status=expiring')).length, 2);
    assert.equal((await edit({ notify_threshold_days: 58 }, {}, 'PATCH')).body.data.status, 'valid');
    await editSettings(world, 'ssl-monitor', { notify_threshold_days: 59 });
    assert.equal((await readCertificate(world, id(GOOD))).status, 'valid');
    const back = (await edit({ notify_threshold_days: null }, {}, 'POST')).body.data;
    assert.deepEqual([back.status, back.notify_threshold_days, back.own_threshold], ['expiring', 59, false]);
    await editSettings(world, 'ssl-monitor', { notify_threshold_days: null });
    assert.equal((await readCertificate(world, id(GOOD))).status, 'valid');
    await edit({ notify_threshold_days: 366 }, { expect: 400 });
    await edit({}, { expect: 400 });
    await edit({ notify_threshold_days: 3 }, { as: 'reader', expect: 403 });
    const { data } = (await world.request('GET', `/api/v2/sites/${id(GOOD)}/non-svc-changes?source=dashboard`)).body;
    const edits = (data as { type: string }[]).filter(({ type }) => type === 'ssl_monitor.updated');
    assert.equal(edits.length, 3);
  });

  it('when a certificate is renewed, then the new one is stored, and a failed check keeps it', async () => {
    const server = await show(FRESH, await trustedOne({ to: clock.now() + 3 * DAY }));
    assert.equal((await checkCertificate(world, id(FRESH))).status, 'expiring');
    const next = await trustedOne({ to: clock.now() + 80 * DAY });
    server.setCertificate(next);
    clock.time += 1_000;
    const renewed = await checkCertificate(world, id(FRESH));
    assert.deepEqual([renewed.status, renewed.days_left], ['valid', 79]);
    await server.close();
    clock.time += 1_000;
    const lost = await checkCertificate(world, id(FRESH));
    assert.deepEqual([lost.status, lost.valid, lost.error.code], ['unreachable', false, 'connect_refused']);
    assert.equal(lost.fingerprint_sha256, renewed.fingerprint_sha256);
    const seen = await seenCertificates(world, id(FRESH));
    assert.deepEqual(
      seen.map(({ fingerprint_sha256, current, changed }) => [fingerprint_sha256, current, changed]),
      [
        [renewed.fingerprint_sha256, true, ['key']],
        [seen[1].fingerprint_sha256, false, []],
      ],
    );
    const { body } = await world.request('GET', `${BASE}/info/${id(FRESH)}/certificates?per_page=1&page=2`);
    assert.deepEqual([body.total, body.data.length, body.data[0].changed], [2, 1, []]);
  });

  it('when key or protocol are weak, then the weaknesses are listed and the certificate is untrusted', async () => {
    const old = await serveTls(await trustedOne({ key: 'smallRsa' }), { maxVersion: 'TLSv1.1' });
    servers.push(old);
    await moveSite(world, id(FAR), old.url);
    const { status, weaknesses, protocol, key_type, key_bits, error } = await checkCertificate(world, id(FAR));
    assert.deepEqual([status, weaknesses], ['untrusted', ['old_protocol', 'small_key']]);
    assert.deepEqual([protocol, key_type, key_bits, error.code], ['TLSv1.1', 'rsa', 1024, 'cert_untrusted']);
    assert.deepEqual((await readCertificate(world, id(FAR))).weaknesses, weaknesses);
    const edited = await world.request('PUT', `${BASE}/info/${id(FAR)}/edit`, {
      body: { notify_threshold_days: null },
    });
    assert.deepEqual([edited.body.data.weaknesses, edited.body.data.error], [weaknesses, error]);
    assert.deepEqual(emptyFields(await listCertificates(world)), []);
    assert.deepEqual(emptyFields(await seenCertificates(world, id(GOOD))), ['[].changed']);
  });

  it('when a server supports only TLS 1.0, then its good certificate is not valid', async () => {
    const old = await serveTls(await trustedOne({}), { maxVersion: 'TLSv1' });
    servers.push(old);
    await moveSite(world, id(FAR), old.url);
    const { status, valid, weaknesses, error, revocation_checked } = await checkCertificate(world, id(FAR));
    assert.deepEqual([status, valid, weaknesses], ['untrusted', false, ['old_protocol']]);
    assert.deepEqual([error.code, revocation_checked], ['old_protocol', false]);
  });

  it('when a server has no TLS or cannot be reached, then the check succeeds with this status', async () => {
    const server = await serveRaw(HOSTILE_HANDLERS['plain HTTP'] ?? assert.fail());
    servers.push(server);
    await moveSite(world, id(FAR), server.url);
    const { body } = await world.request('POST', `${BASE}/${id(FAR)}`);
    assert.deepEqual([body.success, body.data.status, body.data.error.code], [1, 'no_tls', 'tls_handshake']);
    await moveSite(world, id(FAR), 'https://169.254.169.254/');
    const refused = await checkCertificate(world, id(FAR));
    assert.deepEqual([refused.status, refused.error.code], ['unreachable', 'address_refused']);
    await moveSite(world, id(FAR), 'https://nobody.invalid/');
    assert.equal((await checkCertificate(world, id(FAR))).error.code, 'dns_error');
  });

  it('when the site is suspended or checks are off, then no check is scheduled', async () => {
    await world.request('POST', `/api/v2/sites/${id(GOOD)}/suspend`);
    const { body } = await world.request('POST', `${BASE}/${id(GOOD)}`, { expect: 409 });
    assert.equal(body.code, 'svc_site_suspended');
    assert.equal((await readCertificate(world, id(GOOD))).next_check, null);
    await world.request('POST', `/api/v2/sites/${id(GOOD)}/unsuspend`);
    await editSettings(world, 'ssl-monitor', { automatic_checks: 0 });
    assert.equal((await readCertificate(world, id(GOOD))).next_check, null);
    await editSettings(world, 'ssl-monitor', { automatic_checks: null, frequency: 'hourly' });
    assert.match((await readCertificate(world, id(GOOD))).next_check, /:10:00Z$/);
    await editSettings(world, 'ssl-monitor', { frequency: null });
  });

  it('when the module is off, the site is unknown or the right is missing, then the call is rejected', async () => {
    const routes = [
      ['GET', `${BASE}/info`],
      ['GET', `${BASE}/info/${id(GOOD)}`],
      ['GET', `${BASE}/info/${id(GOOD)}/certificates`],
      ['POST', `${BASE}/${id(GOOD)}`],
      ['PUT', `${BASE}/info/${id(GOOD)}/edit`],
      ['GET', '/api/v2/settings/ssl-monitor'],
      ['PUT', '/api/v2/settings/ssl-monitor/edit'],
    ] as const;
    await withoutModule(world, 'ssl-monitor', async () => {
      for (const [method, path] of routes) {
        const body = path.endsWith('/edit') ? { body: { notify_threshold_days: 3 } } : {};
        const answer = await world.request(method, path, { ...body, expect: 404 });
        assert.equal(answer.body.code, 'svc_module_not_available', path);
      }
    });
    for (const [method, path] of [
      ['GET', `${BASE}/info/999`],
      ['GET', `${BASE}/info/999/certificates`],
      ['POST', `${BASE}/999`],
    ] as const)
      assert.equal((await world.request(method, path, { expect: 404 })).body.code, 'svc_site_not_found');
    await world.request('POST', `${BASE}/${id(GOOD)}`, { as: 'viewer', expect: 403 });
    await world.request('GET', `${BASE}/info`, { as: 'nobody', expect: 401 });
  });
});
