import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { createOutbound, emptyConnectionTimings, OutboundError, type Outbound } from '../../src/outbound/index.ts';
import { DAY } from '../../src/shared/clock.ts';
import { createAuthority, issueCertificate, type CertificateAuthority } from '../support/certificates.ts';
import { CLOSING_SERVERS, HOSTILE_HANDLERS, serveRaw, serveTls } from '../support/tls-servers.ts';
import { thrownBy } from '../connector/support.ts';

const SHOP = 'CN=shop.test, O=Shop, OU=Web, L=Porto, ST=Norte, C=PT';

describe('TLS probe', () => {
  let trusted: CertificateAuthority;
  let outbound: Outbound;
  before(async () => {
    trusted = await createAuthority('Trusted');
    outbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [trusted.root.cert],
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
  });
  after(() => outbound.close());

  const probe = (url: string) => outbound.probeTls({ url, deadlineMs: 60_000 });
  const seen = async (...given: Parameters<typeof serveTls>) => {
    const server = await serveTls(...given);
    try {
      return await probe(server.url);
    } finally {
      await server.close();
    }
  };

  it('when a server has a good chain, then the whole chain is read and the connection is closed properly', async () => {
    const names = ['shop.test', '*.shop.test', '127.0.0.1'];
    const issued = await trusted.issue({ subject: SHOP, names });
    const server = await serveTls(issued);
    const observation = emptyConnectionTimings();
    const url = `https://shop.test:${server.port}/blog/`;
    const found = await outbound.probeTls({ url, deadlineMs: 60_000, observation });
    await server.close();
    const own = new X509Certificate(issued.cert);
    assert.deepEqual(found.certificate, {
      subject: { CN: 'shop.test', O: 'Shop', OU: 'Web', L: 'Porto', ST: 'Norte', C: 'PT' },
      issuer: { CN: 'Trusted Issuing', O: 'Trusted', OU: null, L: null, ST: null, C: 'PT' },
      altNames: names,
      serialNumber: own.serialNumber,
      fingerprint: own.fingerprint256.replaceAll(':', '').toLowerCase(),
      keyFingerprint: found.certificate.keyFingerprint,
      signatureAlgorithm: 'ecdsa-with-SHA256',
      keyType: 'ec',
      keyBits: 256,
      validFrom: Date.parse(own.validFrom),
      validTo: Date.parse(own.validTo),
      isSelfSigned: false,
    });
    assert.match(found.certificate.keyFingerprint, /^[\da-f]{64}$/);
    const { certificate: _certificate, ...handshake } = found;
    assert.deepEqual(handshake, {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      chainLength: 2,
      signatureAlgorithms: ['ecdsa-with-SHA256', 'ecdsa-with-SHA256'],
      coversHost: true,
      chainFault: null,
    });
    assert.equal(observation.address, '127.0.0.1');
    assert.ok(observation.connectMs !== null && observation.tlsMs !== null);
    assert.equal(server.connections(), 1);
    assert.deepEqual(server.errors, []);
  });

  it('when only dates or host are wrong, then the chain has no fault', async () => {
    const now = Date.now();
    const expired = await seen(await trusted.issue({ from: now - 9 * DAY, to: now - DAY }));
    assert.deepEqual([expired.chainFault, expired.coversHost], [null, true]);
    const early = await seen(await trusted.issue({ from: now + DAY, to: now + 9 * DAY }));
    assert.deepEqual([early.chainFault, early.coversHost], [null, true]);
    const other = await seen(await trusted.issue({ names: ['other.test', '127.0.0.2'] }));
    assert.deepEqual([other.chainFault, other.coversHost], [null, false]);
  });

  it('when a certificate has no subjectAltName, then its common name covers no host', async () => {
    for (const names of [[], ['127.0.0.1']]) {
      const server = await serveTls(await trusted.issue({ subject: 'CN=shop.test', names }));
      const { coversHost, chainFault } = await probe(`https://shop.test:${server.port}/`);
      await server.close();
      assert.deepEqual([coversHost, chainFault], [false, null]);
    }
  });

  it('when the chain does not lead to a trusted authority, then the fault gives the reason', async () => {
    const alone = await seen(await issueCertificate());
    assert.deepEqual(
      [alone.chainFault, alone.certificate.isSelfSigned, alone.chainLength],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', true, 1],
    );
    const stranger = await createAuthority('Stranger');
    const strange = await seen(await stranger.issue());
    assert.equal(strange.chainFault, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
    const issued = await trusted.issue();
    const incomplete = await seen({ ...issued, cert: issued.cert.replace(trusted.issuing.cert, '') });
    assert.deepEqual([incomplete.chainFault, incomplete.chainLength], ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 1]);
  });

  it('when key, signature or protocol are outdated, then they are reported and not rejected', async () => {
    const small = await seen(await trusted.issue({ key: 'smallRsa' }));
    assert.deepEqual([small.certificate.keyType, small.certificate.keyBits, small.chainFault], ['rsa', 1024, null]);
    const forgeable = await createAuthority('Forgeable', { key: 'rsaWithSha1' });
    const signed = await seen(await forgeable.issue());
    assert.deepEqual(signed.signatureAlgorithms, ['sha1WithRSAEncryption', 'sha1WithRSAEncryption']);
    const old = await seen(await trusted.issue(), { maxVersion: 'TLSv1.1' });
    assert.deepEqual([old.protocol, old.cipher, old.certificate.keyBits], ['TLSv1.1', 'ECDHE-ECDSA-AES256-SHA', 256]);
  });

  it('when a certificate has too many names or control characters, then they are cut and removed', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `host-${index}.test`);
    const long = await seen(await issueCertificate({ subject: `CN=shop\u0007\u202e${'x'.repeat(40)}.test`, names }));
    assert.equal(long.certificate.altNames.length, 250);
    assert.equal(long.certificate.subject.CN, `shop${'x'.repeat(40)}.test`);
    const tricky = await seen(await issueCertificate({ names: ['a.test, DNS:bank.test', 'b.test'] }));
    assert.deepEqual(tricky.certificate.altNames, ['a.test, DNS:bank.test', 'b.test']);
    assert.equal(tricky.coversHost, false);
  });

  it('when the chain is longer than OpenSSL accepts, then the handshake fails', async () => {
    const label = 'long-label-of-a-host-that-nobody-would-ever-want-to-write-out';
    const names = Array.from({ length: 600 }, (_, index) => `${index}.${label}.${label}.${label}.example`);
    const issued = await issueCertificate({ names });
    const server = await serveTls(issued);
    const error = await thrownBy(() => probe(server.url));
    await server.close();
    assert.equal((error as OutboundError).fault, 'tls');
  });

  for (const [name, onConnection] of Object.entries(HOSTILE_HANDLERS))
    it(`when a server is hostile (${name}), then the probe ends within one deadline and no connection stays open`, async () => {
      const server = await serveRaw(onConnection);
      const observation = emptyConnectionTimings();
      // Servers that end by themselves get a long deadline, which they must not reach.
      const deadlineMs = HANGING_SERVERS.has(name) ? 300 : 60_000;
      const error = await thrownBy(() => outbound.probeTls({ url: server.url, deadlineMs, observation }));
      assert.ok(error instanceof OutboundError);
      const closes = CLOSING_SERVERS.has(name);
      assert.equal(error.fault, HANGING_SERVERS.has(name) ? 'timeout' : closes ? 'connect' : 'tls');
      assert.ok(observation.connectMs !== null && observation.tlsMs === null);
      await server.waitUntilIdle();
      await server.close();
    });

  it('when the call is aborted, then the handshake ends', async () => {
    const server = await serveRaw(HOSTILE_HANDLERS['silent'] as never);
    const given = new AbortController();
    const call = outbound.probeTls({ url: server.url, deadlineMs: 60_000, signal: given.signal });
    await server.waitForConnection();
    given.abort();
    assert.equal(((await thrownBy(() => call)) as OutboundError).fault, 'aborted');
    await server.waitUntilIdle();
    await server.close();
  });

  it('when no server is listening or the URL is plain http, then the probe fails', async () => {
    const server = await serveRaw(() => undefined);
    await server.close();
    assert.equal(((await thrownBy(() => probe(server.url))) as OutboundError).fault, 'connect');
    assert.equal(((await thrownBy(() => probe('http://127.0.0.1/'))) as OutboundError).fault, 'tls');
  });
});

/** Servers that only end at the deadline. */
const HANGING_SERVERS = new Set(['silent', 'drop by drop']);
