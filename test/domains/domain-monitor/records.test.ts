import assert from 'node:assert/strict';
import { parseHostName, registrableDomain } from '../../../src/domains/domain-monitor/domain-name.ts';
import type { LookupFaultCode } from '../../../src/domains/domain-monitor/lookup-fault.ts';
import { parseRdapRecord } from '../../../src/domains/domain-monitor/rdap-record.ts';
import { parseRdapBootstrap, rdapServerFor } from '../../../src/domains/domain-monitor/rdap-bootstrap.ts';
import { SHIPPED_RDAP_SERVERS } from '../../../src/domains/domain-monitor/shipped-rdap-servers.ts';
import { parseWhoisDate } from '../../../src/domains/domain-monitor/whois-date.ts';
import { parseWhoisRecord } from '../../../src/domains/domain-monitor/whois-record.ts';
import { RDAP_SAMPLES } from './rdap-samples.ts';
import { WHOIS_SAMPLES } from './whois-samples.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

describe('domain record', () => {
  for (const { registry, name, record, expected: is } of RDAP_SAMPLES)
    it(`when ${registry} sends an RDAP record, then its fields are read`, () => {
      const facts = parseRdapRecord(JSON.stringify(record), name);
      assert.deepEqual(
        {
          registrar: facts.registrar,
          ianaId: facts.registrarIanaId,
          abuse: [facts.abuseEmail, facts.abusePhone],
          created: iso(facts.createdAt),
          expires: iso(facts.expiresAt),
          statuses: facts.statuses,
          nameServers: facts.nameServers,
          dnssec: facts.dnssec,
        },
        is,
      );
    });

  for (const { registry, name, reply, expected: is } of WHOIS_SAMPLES)
    it(`when ${registry} sends a WHOIS record, then its fields are read`, () => {
      const facts = parseWhoisRecord(reply, name);
      assert.deepEqual(
        {
          registrar: facts.registrar,
          created: iso(facts.createdAt),
          expires: iso(facts.expiresAt),
          statuses: facts.statuses,
          nameServers: facts.nameServers,
          ...(is.dnssec && { dnssec: facts.dnssec }),
        },
        is,
      );
    });

  const WHOIS_FAULTS: readonly [reply: string, code: LookupFaultCode][] = [
    ['No match for domain "NOBODY.COM".\r\n>>> Last update of whois database <<<', 'not_found'],
    ['Domain: nobody.de\nStatus: free\n', 'not_found'],
    ['%% No entries found for query "nobody.at".', 'not_found'],
    ['nobody.jp\nNo match!!', 'not_found'],
    ['% Error: 55000000002 Connection refused; access control limit exceeded', 'rate_limited'],
    ['WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS', 'rate_limited'],
    ['You have exceeded your allotted number of queries: quota exceeded', 'rate_limited'],
    ['nobody.nl: Error: maximum number of requests per second exceeded', 'rate_limited'],
    ['% Excessive querying, grace period of 30 seconds', 'rate_limited'],
    ['-1: Still in grace period, wait 3599 seconds', 'rate_limited'],
    ['Queried interval is too short.', 'rate_limited'],
    ['The WHOIS query quota for 2001:db8:85a3:1111:2222:8a2e:370:7334 has been exceeded', 'rate_limited'],
    ['%ERROR:201: access denied for 192.0.2.1', 'refused'],
    ['Requests of the address 192.0.2.1 are blocked. No information is returned.', 'refused'],
    ['The IP address used to perform the query is not authorised.', 'refused'],
    ['<!doctype html><html><body>Hello</body></html>', 'parse_error'],
    ['\u0000\u0001\u0002', 'parse_error'],
    ['nic-hdl: A\n\nregistrar\n\n\nnic-hdl\n', 'parse_error'],
  ];
  it('when a WHOIS reply has no record, then the fault has a code', () => {
    for (const [reply, code] of WHOIS_FAULTS)
      for (const name of ['nobody.com', 'nobody.fr', 'nobody.it', 'nobody.jp', 'nobody.tr', 'nobody.ua'])
        assert.throws(() => parseWhoisRecord(reply, name), { name: 'LookupFault', code }, `${name}: ${reply}`);
  });

  it('when WHOIS returns the record of another domain, then the reply is rejected', () => {
    const [shape] = WHOIS_SAMPLES;
    assert.throws(() => parseWhoisRecord(shape?.reply ?? '', 'other.shop'), { code: 'parse_error' });
  });

  const SMALL = { objectClassName: 'domain', ldhName: 'a.com' };
  const STRANGE: readonly unknown[] = [
    null,
    [],
    'a',
    7,
    {},
    { ...SMALL, objectClassName: 'entity' },
    { ...SMALL, ldhName: 'b.com' },
    { ...SMALL, ldhName: { a: 1 } },
  ];
  it('when an RDAP response is not a record of the domain, then it is rejected', () => {
    for (const body of ['', '<html>', '{', ...STRANGE.map((each) => JSON.stringify(each))])
      assert.throws(() => parseRdapRecord(body, 'a.com'), { name: 'LookupFault', code: 'parse_error' }, body);
  });

  it('when fields of a record have wrong types, then they are omitted', () => {
    for (const strange of [null, 7, 'text', [], {}, [[]], [null], [{}], { a: { b: {} } }, [[['fn']]], true]) {
      const fields = ['entities', 'events', 'status', 'nameservers', 'secureDNS', 'handle', 'port43', 'vcardArray'];
      const record = { ...SMALL, ...Object.fromEntries(fields.map((name) => [name, strange])) };
      const nested = { ...SMALL, entities: [{ ...record, roles: ['registrar'], publicIds: strange, links: strange }] };
      for (const each of [record, nested])
        assert.deepEqual([parseRdapRecord(JSON.stringify(each), 'a.com').expiresAt], [null], JSON.stringify(strange));
    }
  });

  it('when texts are long or contain hidden or control characters, then they become one short line', () => {
    const handle = `\u0000a\u202eb\r\nc${'x'.repeat(100_000)}`;
    const { registryDomainId, statuses } = parseRdapRecord(
      JSON.stringify({ ...SMALL, handle, status: Array.from({ length: 5_000 }, (_, index) => `s${index}`) }),
      'a.com',
    );
    assert.match(registryDomainId ?? '', /^a b cx+$/);
    assert.equal(registryDomainId?.length, 200);
    assert.equal(statuses.length, 30);
  });
});

describe('WHOIS date', () => {
  for (const [text, date] of [
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T10:20:30Z', '2027-01-31T10:20:30.000Z'],
    ['2027-01-31T10:20:30+02:00', '2027-01-31T08:20:30.000Z'],
    ['2027-01-31 10:20:30', '2027-01-31T10:20:30.000Z'],
    ['2027.01.31 10:20:30', '2027-01-31T10:20:30.000Z'],
    ['2027. 01. 31.', '2027-01-31T00:00:00.000Z'],
    ['2027/01/31', '2027-01-31T00:00:00.000Z'],
    ['20270131', '2027-01-31T00:00:00.000Z'],
    ['20270131 #123456', '2027-01-31T00:00:00.000Z'],
    ['31.1.2027 10:20:30', '2027-01-31T10:20:30.000Z'],
    ['31-Jan-2027', '2027-01-31T00:00:00.000Z'],
    ['31/01/2027', '2027-01-31T00:00:00.000Z'],
    ['31 January 2027', '2027-01-31T00:00:00.000Z'],
    ['2027-Jan-31.', '2027-01-31T00:00:00.000Z'],
    ['Sun Jan 31 2027', '2027-01-31T00:00:00.000Z'],
    ['31-Feb-2027', null],
    ['2027-13-01', null],
    ['before Aug-1996', null],
    ['', null],
    ['9999-01-01', null],
  ] as const)
    it(`when a date is written as "${text}", then the result is ${date ?? 'none'}`, () =>
      assert.equal(iso(parseWhoisDate(text)), date));
});

describe('registrable domain', () => {
  for (const [address, domain] of [
    ['https://www.corner-bakery.com/shop/', 'corner-bakery.com'],
    ['https://a.b.corner-bakery.co.uk/', 'corner-bakery.co.uk'],
    ['https://www.bücher-regal.de/', 'xn--bcher-regal-thb.de'],
    ['https://somebody.github.io/', 'github.io'],
    ['https://co.uk/', null],
    ['http://127.0.0.1:8080/', null],
    ['http://[2606:4700::1111]/', null],
    ['http://localhost/', null],
    ['http://intranet.local/', null],
    ['http://shop.example/', null],
  ] as const)
    it(`when a site is at ${address}, then its domain is ${domain ?? 'none'}`, () =>
      assert.equal(registrableDomain(address), domain));

  it('when a host name is not valid in the DNS, then the result is null', () => {
    assert.equal(parseHostName('NS1.Host.Example.'), 'ns1.host.example');
    for (const text of ['', 'a', 'a b.com', 'a/b.com', 'http://a.com', 'a.com:43', '-', `${'a'.repeat(64)}.com`])
      assert.equal(parseHostName(text), null, text);
  });
});

describe('list of RDAP servers', () => {
  it('when the list has several servers, then the most specific zone and https are preferred', () => {
    const servers = parseRdapBootstrap(
      JSON.stringify({
        services: [
          [
            ['uk', 'COM'],
            ['http://rdap.example/old', 'https://rdap.example/new'],
          ],
          [['co.uk'], ['https://co.example/']],
          [['kg'], ['http://kg.example/']],
          [['x'], ['ftp://x.example/', 'javascript:alert(1)', 7]],
          [7, ['https://y.example/']],
          'nothing',
        ],
      }),
    );
    const of = (name: string): string | null => rdapServerFor(servers ?? new Map(), name);
    assert.equal(of('a.com'), 'https://rdap.example/new/');
    assert.equal(of('a.co.uk'), 'https://co.example/');
    assert.equal(of('a.uk'), 'https://rdap.example/new/');
    assert.equal(of('a.kg'), 'http://kg.example/');
    assert.deepEqual([of('a.x'), of('a.org')], [null, null]);
  });

  it('when the list has another format, then it is rejected', () => {
    for (const text of ['', '<html>', '[]', '{}', '{"services":{}}', '{"services":[]}', '{"services":[[["a"],["b"]]]}'])
      assert.equal(parseRdapBootstrap(text), null, text);
  });

  it('when no list was loaded, then the built-in list knows the large registries', () => {
    for (const name of ['a.com', 'a.net', 'a.org', 'a.app', 'a.agency', 'a.fr', 'a.co.uk'])
      assert.match(rdapServerFor(SHIPPED_RDAP_SERVERS, name) ?? '', /^https:\/\/[a-z0-9./-]+\/$/, name);
    assert.equal(rdapServerFor(SHIPPED_RDAP_SERVERS, 'a.invalid'), null);
  });
});
