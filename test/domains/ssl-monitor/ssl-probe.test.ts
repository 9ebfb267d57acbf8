import assert from 'node:assert/strict';
import { sslProbe } from '../../../src/domains/ssl-monitor/index.ts';
import { OutboundError, type Outbound } from '../../../src/outbound/index.ts';
import { DAY, systemClock } from '../../../src/shared/clock.ts';
import type { CertificateAuthority, IssuedCertificate } from '../../support/certificates.ts';
import { HOSTILE_HANDLERS, serveRaw, serveTls } from '../../support/tls-servers.ts';
import { withTrustedAuthority } from '../../support/trusted-authority.ts';

describe('the look at a certificate while a site is synced', () => {
  let trusted: CertificateAuthority;
  let outbound: Outbound;
  withTrustedAuthority((made) => ({ trusted, outbound } = made));

  const look = (url: string) => sslProbe(outbound, systemClock)(url);
  const shown = async (issued: IssuedCertificate) => {
    const server = await serveTls(issued);
    const found = await look(server.url);
    await server.close();
    return found;
  };
  const second = (ms: number): number => Math.floor(ms / 1000) * 1000;

  it('when there is one, then it says whether it is good, and until when', async () => {
    const [soon, past] = [Date.now() + DAY / 2, Date.now() - DAY / 2];
    assert.deepEqual(await shown(await trusted.issue({ to: soon })), { valid: true, expiresAt: second(soon) });
    assert.deepEqual(await shown(await trusted.issue({ to: past })), { valid: false, expiresAt: second(past) });
    const other = await trusted.issue({ to: soon, names: ['other.test'] });
    assert.deepEqual(await shown(other), { valid: false, expiresAt: second(soon) });
  });

  it('when a site is on http, or its server knows no TLS, then there is none', async () => {
    assert.deepEqual(await look('http://blog.example.net/'), { valid: false, expiresAt: null });
    const server = await serveRaw(HOSTILE_HANDLERS['plain HTTP'] ?? assert.fail());
    assert.deepEqual(await look(server.url), { valid: false, expiresAt: null });
    await server.close();
    assert.equal(server.connections(), 1);
  });

  it('when the site could not be asked, then it says nothing, so that what is stored stays', async () => {
    const server = await serveRaw(() => undefined);
    await server.close();
    assert.equal(await look(server.url), null);
    assert.equal(await look('https://169.254.169.254/'), null);
    const failing = (error: Error) =>
      sslProbe({ probeTls: () => Promise.reject(error) }, systemClock)('https://blog.example.net/');
    assert.equal(await failing(new OutboundError('timeout', 'Too slow.', false, 1)), null);
    await assert.rejects(failing(new TypeError('a fault of ours')), TypeError);
  });
});
