import assert from 'node:assert/strict';
import type { SecureVersion } from 'node:tls';
import { createSslProbe } from '../../../src/domains/ssl-monitor/index.ts';
import { OutboundError, type Outbound } from '../../../src/outbound/index.ts';
import { DAY, systemClock } from '../../../src/shared/clock.ts';
import type { CertificateAuthority, IssuedCertificate } from '../../support/certificates.ts';
import { CLOSING_SERVERS, HOSTILE_HANDLERS, serveRaw, serveTls } from '../../support/tls-servers.ts';
import { withTrustedAuthority } from '../../support/trusted-authority.ts';

describe('certificate probe during a sync', () => {
  let trusted: CertificateAuthority;
  let outbound: Outbound;
  withTrustedAuthority((made) => ({ trusted, outbound } = made));

  const look = (url: string) => createSslProbe(outbound, systemClock)(url);
  const shown = async (issued: IssuedCertificate, maxVersion: SecureVersion = 'TLSv1.3') => {
    const server = await serveTls(issued, { maxVersion });
    const found = await look(server.url);
    await server.close();
    return found;
  };
  const second = (ms: number): number => Math.floor(ms / 1000) * 1000;

  it('when the site has a certificate, then the probe returns its validity and expiry', async () => {
    const [soon, past] = [Date.now() + DAY / 2, Date.now() - DAY / 2];
    assert.deepEqual(await shown(await trusted.issue({ to: soon })), { valid: true, expiresAt: second(soon) });
    assert.deepEqual(await shown(await trusted.issue({ to: past })), { valid: false, expiresAt: second(past) });
    const other = await trusted.issue({ to: soon, names: ['other.test'] });
    assert.deepEqual(await shown(other), { valid: false, expiresAt: second(soon) });
    const nameless = await trusted.issue({ to: soon, subject: 'CN=127.0.0.1', names: [] });
    assert.deepEqual(await shown(nameless), { valid: false, expiresAt: second(soon) });
    const good = await trusted.issue({ to: soon });
    assert.deepEqual(await shown(good, 'TLSv1'), { valid: false, expiresAt: second(soon) });
  });

  it('when a site uses http or its server has no TLS, then the certificate is invalid and has no expiry', async () => {
    assert.deepEqual(await look('http://blog.example.net/'), { valid: false, expiresAt: null });
    const server = await serveRaw(HOSTILE_HANDLERS['plain HTTP'] ?? assert.fail());
    assert.deepEqual(await look(server.url), { valid: false, expiresAt: null });
    await server.close();
    assert.equal(server.connections(), 1);
  });

  it('when a server closes the connection during the handshake, then the stored value stays', async () => {
    for (const name of CLOSING_SERVERS) {
      const server = await serveRaw(HOSTILE_HANDLERS[name] ?? assert.fail());
      assert.equal(await look(server.url), null, name);
      await server.close();
    }
  });

  it('when the site cannot be reached, then the probe returns null and the stored value stays', async () => {
    const server = await serveRaw(() => undefined);
    await server.close();
    assert.equal(await look(server.url), null);
    assert.equal(await look('https://169.254.169.254/'), null);
    const failing = (error: Error) =>
      createSslProbe({ probeTls: () => Promise.reject(error) }, systemClock)('https://blog.example.net/');
    assert.equal(await failing(new OutboundError('timeout', 'Too slow.', false, 1)), null);
    await assert.rejects(failing(new TypeError('a fault of ours')), TypeError);
  });
});
