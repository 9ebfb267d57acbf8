import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  daysLeft,
  certificateFaultOf,
  isValidOrExpiring,
  sslStateOf,
  sslWeaknessesOf,
  type SslStateInput,
} from '../../../src/domains/ssl-monitor/ssl-state.ts';
import type { PresentedCertificate, TlsProbeResult } from '../../../src/outbound/outbound.ts';
import { DAY } from '../../../src/shared/clock.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const emptyName = { CN: null, O: null, OU: null, L: null, ST: null, C: null };
const certificate: PresentedCertificate = {
  subject: emptyName,
  issuer: emptyName,
  altNames: [],
  serialNumber: '01',
  fingerprint: 'aa',
  keyFingerprint: 'bb',
  signatureAlgorithm: 'ecdsa-with-SHA256',
  keyType: 'ec',
  keyBits: 256,
  validFrom: NOW - DAY,
  validTo: NOW + 90 * DAY,
  isSelfSigned: false,
};
const probe = (
  own: Partial<TlsProbeResult> = {},
  ofCertificate: Partial<PresentedCertificate> = {},
): TlsProbeResult => ({
  protocol: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  certificate: { ...certificate, ...ofCertificate },
  chainLength: 2,
  signatureAlgorithms: ['ecdsa-with-SHA256', 'ecdsa-with-SHA384'],
  coversHost: true,
  chainFault: null,
  ...own,
});
const evidence = (own: Partial<SslStateInput> = {}): SslStateInput => ({
  isChecked: true,
  fault: null,
  validFrom: NOW - DAY,
  validTo: NOW + 90 * DAY,
  ...own,
});
const stateWith = (own: Partial<SslStateInput>, thresholdDays = 14) =>
  sslStateOf(evidence(own), { now: NOW, thresholdDays });

describe('certificate state', () => {
  it('when several rules apply, then the first one sets the state', () => {
    const past = { validFrom: NOW - 9 * DAY, validTo: NOW - 1 };
    const future = { validFrom: NOW + 1, validTo: NOW + 2 * DAY };
    assert.equal(stateWith({ isChecked: false, fault: 'unreachable', ...past }), 'unknown');
    assert.equal(stateWith({ fault: 'unreachable', ...past }), 'unreachable');
    assert.equal(stateWith({ fault: 'no_tls', ...past }), 'no_tls');
    assert.equal(stateWith({ fault: 'mismatch', ...past }), 'expired');
    assert.equal(stateWith({ fault: 'untrusted', ...future }), 'not_yet_valid');
    assert.equal(stateWith({ fault: 'mismatch', validTo: NOW + DAY }), 'mismatch');
    assert.equal(stateWith({ fault: 'untrusted', validTo: NOW + DAY }), 'untrusted');
    assert.equal(stateWith({ validTo: NOW + DAY }), 'expiring');
    assert.equal(stateWith({}), 'valid');
  });

  it('when a date is exactly at a limit, then the state includes the first and last moment', () => {
    assert.equal(stateWith({ validTo: NOW }), 'expiring');
    assert.equal(stateWith({ validTo: NOW - 1 }), 'expired');
    assert.equal(stateWith({ validFrom: NOW }), 'valid');
    assert.equal(stateWith({ validFrom: NOW + 1 }), 'not_yet_valid');
    assert.equal(stateWith({ validTo: NOW + 15 * DAY - 1 }), 'expiring');
    assert.equal(stateWith({ validTo: NOW + 15 * DAY }), 'valid');
    assert.equal(stateWith({ validTo: NOW + DAY - 1 }, 0), 'expiring');
    assert.equal(stateWith({ validTo: NOW + DAY }, 0), 'valid');
  });

  it('when the remaining days are counted, then they are whole days, and negative after the expiry', () => {
    assert.deepEqual(
      [NOW + 2 * DAY, NOW + 2 * DAY - 1, NOW, NOW - 1, NOW - DAY - 1].map((validTo) => daysLeft(validTo, NOW)),
      [2, 1, 0, -1, -2],
    );
  });

  it('when any data is judged, then the state is good only within the dates and without a fault', () => {
    const moment = fc.option(fc.integer({ min: NOW - 40 * DAY, max: NOW + 40 * DAY }));
    const any = fc.record({
      isChecked: fc.boolean(),
      fault: fc.constantFrom(
        'unreachable' as const,
        'no_tls' as const,
        'mismatch' as const,
        'untrusted' as const,
        null,
      ),
      validFrom: moment,
      validTo: moment,
    });
    fc.assert(
      fc.property(any, fc.nat(30), (found, thresholdDays) => {
        const state = sslStateOf(found, { now: NOW, thresholdDays });
        const { validFrom, validTo, fault, isChecked } = found;
        const lies = (validFrom === null || validFrom <= NOW) && (validTo === null || validTo >= NOW);
        assert.equal(isValidOrExpiring(state), isChecked && fault === null && lies);
        if (state === 'expiring') assert.ok(validTo !== null && daysLeft(validTo, NOW) <= thresholdDays);
        if (state === 'valid') assert.ok(validTo === null || daysLeft(validTo, NOW) > thresholdDays);
      }),
    );
  });
});

describe('certificate faults and weaknesses', () => {
  it('when host name and chain are both wrong, then the fault is mismatch', () => {
    assert.equal(certificateFaultOf(probe({ coversHost: false, chainFault: 'CERT_REVOKED' })), 'mismatch');
    assert.equal(certificateFaultOf(probe({ chainFault: 'DEPTH_ZERO_SELF_SIGNED_CERT' })), 'untrusted');
    assert.equal(certificateFaultOf(probe()), null);
  });

  it('when a key or a signature is weak, then the chain is untrusted, and so is an old protocol', () => {
    assert.deepEqual(sslWeaknessesOf(probe({}, { keyType: 'rsa', keyBits: 2047 })), ['small_key']);
    assert.deepEqual(sslWeaknessesOf(probe({}, { keyType: 'rsa', keyBits: 2048 })), []);
    assert.deepEqual(sslWeaknessesOf(probe({}, { keyType: 'ec', keyBits: 192 })), ['small_key']);
    assert.deepEqual(sslWeaknessesOf(probe({}, { keyType: 'ed25519', keyBits: 256 })), []);
    assert.deepEqual(sslWeaknessesOf(probe({}, { keyType: null, keyBits: null })), []);
    for (const name of ['md5WithRSAEncryption', 'sha1WithRSAEncryption', 'ecdsa-with-SHA1', 'dsa-with-SHA1'])
      assert.deepEqual(sslWeaknessesOf(probe({ signatureAlgorithms: ['ED25519', name] })), ['weak_signature'], name);
    for (const name of ['ecdsa-with-SHA256', 'sha512WithRSAEncryption', 'ED25519', '1.2.3'])
      assert.deepEqual(sslWeaknessesOf(probe({ signatureAlgorithms: [name] })), [], name);
    assert.deepEqual(sslWeaknessesOf(probe({ protocol: 'TLSv1.1' })), ['old_protocol']);
    assert.equal(certificateFaultOf(probe({ protocol: 'TLSv1.1' })), 'untrusted');
    assert.equal(certificateFaultOf(probe({ signatureAlgorithms: ['ecdsa-with-SHA1'] })), 'untrusted');
    assert.equal(certificateFaultOf(probe({}, { keyType: 'rsa', keyBits: 1024 })), 'untrusted');
  });
});
