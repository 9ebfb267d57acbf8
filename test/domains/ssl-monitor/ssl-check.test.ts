import assert from 'node:assert/strict';
import type { SecureVersion } from 'node:tls';
import { LookupDelayedError, SslCheck } from '../../../src/domains/ssl-monitor/ssl-check.ts';
import { createOutbound, OutboundError, type Outbound } from '../../../src/outbound/index.ts';
import { DAY } from '../../../src/shared/clock.ts';
import {
  createAuthority,
  issueCertificate,
  type CertificateAuthority,
  type IssuedCertificate,
} from '../../support/certificates.ts';
import { createLookup, DNS_RECORDS, REFUSED_ADDRESSES } from '../../safety/address-forms.ts';
import { ForbiddenListener } from '../../safety/forbidden-listener.ts';
import { HOSTILE_HANDLERS, serveRaw, serveTls } from '../../support/tls-servers.ts';
import { until } from '../../support/until.ts';
import { withTrustedAuthority } from '../../support/trusted-authority.ts';

const SITE = 'https://shop.example/';
const RESOLVED = { host: 'shop.example', port: 443, address: '192.0.2.7', family: 4 } as const;

/** Returns a check that fails with this error, before the connection or, with `connectMs`, after it. */
function breaking(error: Error, connectMs: number | null = null) {
  const outbound: Pick<Outbound, 'resolve' | 'probeTls'> = {
    resolve: async () => RESOLVED,
    probeTls: ({ observation }) => {
      if (observation) observation.connectMs = connectMs;
      return Promise.reject(error);
    },
  };
  return new SslCheck({ outbound, limit: (_address, work) => work() });
}
const fault = (name: 'dns' | 'connect' | 'timeout' | 'tls' | 'aborted') => new OutboundError(name, 'So.', false, 1);

describe('result of a certificate check', () => {
  it('when the connection fails, then the site is unreachable and the error has a code', async () => {
    for (const [name, code] of [
      ['dns', 'dns_error'],
      ['connect', 'connect_refused'],
      ['timeout', 'connect_timeout'],
    ] as const)
      assert.deepEqual(await breaking(fault(name)).run(SITE), {
        fault: 'unreachable',
        error: { code, message: 'So.' },
        probe: null,
      });
  });

  it('when the handshake fails, then the fault is no_tls, and unreachable if it times out or is cut off', async () => {
    for (const [name, wrong] of [
      ['timeout', 'unreachable'],
      ['connect', 'unreachable'],
      ['tls', 'no_tls'],
    ] as const)
      assert.deepEqual(await breaking(fault(name), 3).run(SITE), {
        fault: wrong,
        error: { code: 'tls_handshake', message: 'So.' },
        probe: null,
      });
  });

  it('when a server hangs, then the deadline ends the check', async () => {
    const server = await serveRaw(HOSTILE_HANDLERS['silent'] ?? assert.fail());
    const outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    const check = new SslCheck({ outbound, limit: (_address, work) => work(), deadlineMs: 500 });
    const { fault: wrong, error } = await check.run(server.url);
    assert.deepEqual([wrong, error?.message], ['unreachable', 'The TLS handshake timed out.']);
    await server.close();
    await outbound.close();
  });

  it('when name servers of other sites do not answer, then the wait for them does not count', async () => {
    const ends: (() => void)[] = [];
    const asked: string[] = [];
    const found = [{ address: '127.0.0.1', family: 4 as const }];
    const outbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      lookup: (host) => {
        asked.push(host);
        return host === 'alive.example' ? Promise.resolve(found) : new Promise((end) => ends.push(() => end(found)));
      },
    });
    const server = await serveTls(await (await createAuthority('Own')).issue({ names: ['alive.example'] }));
    const others = ['one.example', 'two.example'].map((host) => outbound.resolve(`https://${host}/`));
    const deadlineMs = 1_000;
    const check = new SslCheck({ outbound, limit: (_address, work) => work(), deadlineMs });
    const checked = check.run(server.url.replace('127.0.0.1', 'alive.example'));
    await new Promise((passed) => setTimeout(passed, deadlineMs + 100));
    assert.deepEqual(asked, ['one.example', 'two.example']);
    for (const end of ends) end();
    assert.equal((await checked).error?.code, 'cert_untrusted');
    await Promise.all(others);
    await server.close();
    await outbound.close();
  });

  it('when the wait for other lookups is limited and too long, then the check says nothing about the site', async () => {
    const ends: (() => void)[] = [];
    const outbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      lookup: () => new Promise((_, fail) => ends.push(() => fail(new Error('no answer')))),
    });
    const others = ['one.example', 'two.example'].map((host) => outbound.resolve(`https://${host}/`));
    const check = new SslCheck({ outbound, limit: (_address, work) => work() });
    await assert.rejects(check.run(SITE, { lookupWaitMs: 30 }), LookupDelayedError);
    assert.equal(ends.length, 2);
    for (const end of ends) end();
    await Promise.allSettled(others);
    // The lookup of the site itself fails before the limit.
    const failing = check.run(SITE, { lookupWaitMs: 60_000 });
    await until(async () => ends.length === 3, 'the lookup of the site');
    ends[2]?.();
    assert.equal((await failing).error?.code, 'dns_error');
    await outbound.close();
  });

  it('when the site has a forbidden address in any form, then no connection is opened', async () => {
    const trap = await ForbiddenListener.start();
    const outbound = createOutbound({ allowedNetworks: [], lookup: createLookup(DNS_RECORDS) });
    const check = new SslCheck({ outbound, limit: (_address, work) => work() });
    for (const form of REFUSED_ADDRESSES) {
      const { fault: wrong, error } = await check.run(
        form.replace('P', String(trap.port)).replace(/^https?:/, 'https:'),
      );
      assert.deepEqual([wrong, error?.code], ['unreachable', 'address_refused'], form);
    }
    assert.equal(trap.connections, 0);
    trap.close();
    await outbound.close();
  });

  it('when the check is aborted or throws an unexpected error, then there is no result', async () => {
    await assert.rejects(breaking(fault('aborted'), 3).run(SITE), OutboundError);
    await assert.rejects(breaking(new TypeError('a fault of ours')).run(SITE), TypeError);
  });
});

describe('fault of a certificate chain', () => {
  let trusted: CertificateAuthority;
  let outbound: Outbound;
  withTrustedAuthority((made) => ({ trusted, outbound } = made));

  const found = async (issued: IssuedCertificate, by = outbound, maxVersion: SecureVersion = 'TLSv1.3') => {
    const server = await serveTls(issued, { maxVersion });
    const check = new SslCheck({ outbound: by, limit: (_address, work) => work() });
    const { fault: wrong, error } = await check.run(server.url);
    await server.close();
    return [wrong, error?.message ?? null];
  };

  it('when the chain is good, then there is no fault', async () => {
    assert.deepEqual(await found(await trusted.issue()), [null, null]);
  });

  it('when the server supports only an old TLS version, then it is not trusted', async () => {
    for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const)
      assert.deepEqual(await found(await trusted.issue(), outbound, maxVersion), [
        'untrusted',
        `The server supports only ${maxVersion}, which browsers reject.`,
      ]);
    assert.deepEqual(await found(await trusted.issue(), outbound, 'TLSv1.2'), [null, null]);
  });

  it('when the chain is not trusted, then the message gives the reason', async () => {
    const stranger = await createAuthority('Stranger');
    const issued = await trusted.issue();
    const late = await createAuthority('Late', { ends: Date.now() - DAY });
    const lateOutbound = createOutbound({
      allowedNetworks: ['127.0.0.0/8'],
      certificateAuthorities: [late.root.cert],
    });
    assert.deepEqual(await found(await issueCertificate()), ['untrusted', 'The certificate is self-signed.']);
    assert.deepEqual(await found(await stranger.issue()), [
      'untrusted',
      'A certificate of the chain is missing, or its authority is not trusted.',
    ]);
    assert.deepEqual(await found({ ...issued, cert: issued.cert.replace(trusted.issuing.cert, '') }), [
      'untrusted',
      'The server does not send the certificate of the issuer.',
    ]);
    assert.deepEqual(await found(await trusted.issue({ key: 'smallRsa' })), [
      'untrusted',
      'The key of the certificate is too small: rsa, 1024 bits.',
    ]);
    assert.deepEqual(await found(await trusted.issue({ names: ['other.test'] })), [
      'mismatch',
      'The certificate does not cover the host.',
    ]);
    assert.deepEqual(await found(await trusted.issue({ subject: 'CN=127.0.0.1', names: [] })), [
      'mismatch',
      'The certificate has no subjectAltName, so it covers no host.',
    ]);
    assert.deepEqual(await found(await late.issue(), lateOutbound), [
      'untrusted',
      'A certificate further up the chain has expired.',
    ]);
    await lateOutbound.close();
  });
});
