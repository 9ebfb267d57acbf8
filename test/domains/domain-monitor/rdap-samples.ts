/** Records in the RDAP formats of registries, with invented values. */
export interface RdapSample {
  registry: string;
  name: string;
  record: object;
  /** Expected result. */
  expected: {
    registrar: string | null;
    ianaId: string | null;
    abuse: readonly [email: string | null, phone: string | null];
    created: string | null;
    expires: string | null;
    statuses: readonly string[];
    nameServers: readonly string[];
    dnssec: string;
  };
}

const card = (...properties: readonly unknown[][]): object => ({
  vcardArray: ['vcard', [['version', {}, 'text', '4.0'], ...properties]],
});
const server = (ldhName: string): object => ({ objectClassName: 'nameserver', ldhName });
const event = (eventAction: string, eventDate: string): object => ({ eventAction, eventDate });
const SERVERS = ['ns1.host.example', 'ns2.host.example'];

/** Response of the .com registry. Tests use it for any domain. */
export const comRecord = (name: string, expires = '2027-03-01T09:12:00Z', beside: object = {}): object => ({
  objectClassName: 'domain',
  handle: '2336799_DOMAIN_COM-VRSN',
  ldhName: name.toUpperCase(),
  links: [
    { value: 'https://rdap.example/', rel: 'self', href: 'https://rdap.example/', type: 'application/rdap+json' },
  ],
  status: ['client delete prohibited', 'client transfer prohibited'],
  entities: [
    {
      objectClassName: 'entity',
      handle: '9995',
      roles: ['registrar'],
      links: [
        { href: 'https://registrar.example', type: 'text/html', value: 'https://registrar.example', rel: 'about' },
      ],
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9995' }],
      ...card(['fn', {}, 'text', 'Example Registrar Inc.']),
      entities: [
        {
          objectClassName: 'entity',
          roles: ['abuse'],
          ...card(
            ['fn', {}, 'text', ''],
            ['tel', { type: 'voice' }, 'uri', 'tel:+1.5555551234'],
            ['email', {}, 'text', 'abuse@registrar.example'],
          ),
        },
      ],
    },
  ],
  events: [
    event('registration', '2004-03-01T09:12:00Z'),
    event('expiration', expires),
    event('last changed', '2026-02-14T07:01:44Z'),
    event('last update of RDAP database', '2026-11-22T08:00:00Z'),
  ],
  secureDNS: { delegationSigned: false },
  nameservers: SERVERS.map((name) => server(name.toUpperCase())),
  rdapConformance: ['rdap_level_0', 'icann_rdap_technical_implementation_guide_0'],
  notices: [{ title: 'Terms of Service', description: ['Service subject to Terms of Use.'] }],
  ...beside,
});

export const RDAP_SAMPLES: readonly RdapSample[] = [
  {
    registry: 'Verisign, a thin registry',
    name: 'corner-bakery.com',
    record: comRecord('corner-bakery.com'),
    expected: {
      registrar: 'Example Registrar Inc.',
      ianaId: '9995',
      abuse: ['abuse@registrar.example', '+1.5555551234'],
      created: '2004-03-01T09:12:00.000Z',
      expires: '2027-03-01T09:12:00.000Z',
      statuses: ['client delete prohibited', 'client transfer prohibited'],
      nameServers: SERVERS,
      dnssec: 'unsigned',
    },
  },
  {
    registry: 'Public Interest Registry, with contacts that are redacted',
    name: 'city-museum.org',
    record: {
      rdapConformance: ['rdap_level_0', 'redacted'],
      objectClassName: 'domain',
      handle: 'a1b2c3d4e5-LROR',
      ldhName: 'city-museum.org',
      port43: 'whois.registrar.example',
      nameservers: SERVERS.map((name) => ({ ...server(name), status: ['associated'] })),
      secureDNS: { zoneSigned: true, delegationSigned: true, dsData: [{ keyTag: 1, algorithm: 13, digestType: 2 }] },
      entities: [
        { objectClassName: 'entity', roles: ['registrant'], ...card(['fn', {}, 'text', '']) },
        {
          objectClassName: 'entity',
          handle: '9994',
          roles: ['registrar'],
          publicIds: [{ type: 'IANA Registrar ID', identifier: '9994' }],
          ...card(['fn', {}, 'text', 'Museum Registrar LLC'], ['url', {}, 'uri', 'https://registrar.example/']),
          entities: [
            {
              objectClassName: 'entity',
              roles: ['abuse', 'technical'],
              ...card(
                ['tel', { type: ['voice', 'work'] }, 'text', '+1.5555550000'],
                ['email', {}, 'text', 'a@b.example'],
              ),
            },
          ],
        },
      ],
      status: ['server hold', 'redemption period'],
      events: [
        event('expiration', '2026-10-18T15:51:28.071Z'),
        event('registration', '2012-10-18T15:51:28.071Z'),
        event('last changed', '2026-11-20T01:00:00.12Z'),
      ],
    },
    expected: {
      registrar: 'Museum Registrar LLC',
      ianaId: '9994',
      abuse: ['a@b.example', '+1.5555550000'],
      created: '2012-10-18T15:51:28.071Z',
      expires: '2026-10-18T15:51:28.071Z',
      statuses: ['server hold', 'redemption period'],
      nameServers: SERVERS,
      dnssec: 'signed',
    },
  },
  {
    registry: 'AFNIC, whose registrars have no number',
    name: 'boulangerie-exemple.fr',
    record: {
      rdapConformance: ['rdap_level_0'],
      objectClassName: 'domain',
      handle: 'DOM000001234567-FRNIC',
      ldhName: 'boulangerie-exemple.fr',
      unicodeName: 'boulangerie-exemple.fr',
      status: ['active'],
      events: [
        event('registration', '2011-05-20T22:00:00Z'),
        event('expiration', '2027-05-20T12:00:00Z'),
        event('last changed', '2026-05-20T12:00:00Z'),
      ],
      nameservers: SERVERS.map((name) => ({ ...server(name), ipAddresses: { v4: ['192.0.2.1'], v6: [] } })),
      entities: [
        {
          objectClassName: 'entity',
          handle: 'EX001-FRNIC',
          roles: ['registrar'],
          ...card(
            ['fn', {}, 'text', 'EXEMPLE SAS'],
            ['adr', {}, 'text', ['', '', '1 rue Exemple', 'Paris', '', '75001', 'FR']],
            ['email', {}, 'text', 'support@registrar.example'],
          ),
        },
      ],
      secureDNS: { delegationSigned: true },
    },
    expected: {
      registrar: 'EXEMPLE SAS',
      ianaId: null,
      abuse: [null, null],
      created: '2011-05-20T22:00:00.000Z',
      expires: '2027-05-20T12:00:00.000Z',
      statuses: ['active'],
      nameServers: SERVERS,
      dnssec: 'signed',
    },
  },
  {
    registry: 'Nominet',
    name: 'corner-bakery.uk',
    record: {
      rdapConformance: ['rdap_level_0', 'nominet_0'],
      objectClassName: 'domain',
      handle: 'D_1234567_UK',
      ldhName: 'corner-bakery.uk.',
      status: ['active'],
      entities: [
        {
          objectClassName: 'entity',
          handle: 'EXAMPLE',
          roles: ['registrar'],
          ...card(
            ['org', {}, 'text', ['Example Registrar Ltd', 'Domains']],
            ['url', {}, 'uri', 'https://registrar.example'],
          ),
        },
      ],
      events: [
        { ...event('registration', '2014-06-10T10:00:03Z'), eventActor: 'EXAMPLE' },
        event('expiration', '2027-06-10T10:00:03Z'),
      ],
      nameservers: [server('ns1.host.example.'), server('ns2.host.example.')],
      secureDNS: { delegationSigned: false },
    },
    expected: {
      registrar: 'Example Registrar Ltd',
      ianaId: null,
      abuse: [null, null],
      created: '2014-06-10T10:00:03.000Z',
      expires: '2027-06-10T10:00:03.000Z',
      statuses: ['active'],
      nameServers: SERVERS,
      dnssec: 'unsigned',
    },
  },
  {
    registry: 'CZ.NIC, with a keyset and dates in a zone of their own',
    name: 'pekarna-priklad.cz',
    record: {
      rdapConformance: ['rdap_level_0', 'fred_version_0'],
      objectClassName: 'domain',
      handle: 'pekarna-priklad.cz',
      ldhName: 'pekarna-priklad.cz',
      port43: 'whois.nic.cz',
      status: ['active'],
      entities: [
        { objectClassName: 'entity', handle: 'PRIKLAD-OWNER', roles: ['registrant'] },
        {
          objectClassName: 'entity',
          handle: 'REG-PRIKLAD',
          roles: ['registrar'],
          ...card(['fn', {}, 'text', 'REG-PRIKLAD']),
        },
      ],
      events: [event('registration', '2009-01-15T18:20:00+01:00'), event('expiration', '2027-01-15T00:00:00+01:00')],
      nameservers: SERVERS.map(server),
      secureDNS: { zoneSigned: true, delegationSigned: true, maxSigLife: 1209600 },
      fred_nsset: { objectClassName: 'fred_nsset', handle: 'NSS:PRIKLAD' },
    },
    expected: {
      registrar: 'REG-PRIKLAD',
      ianaId: null,
      abuse: [null, null],
      created: '2009-01-15T17:20:00.000Z',
      expires: '2027-01-14T23:00:00.000Z',
      statuses: ['active'],
      nameServers: SERVERS,
      dnssec: 'signed',
    },
  },
  {
    registry: 'registro.br, which calls registrars by nothing',
    name: 'padaria-exemplo.com.br',
    record: {
      rdapConformance: ['rdap_level_0', 'nicbr_level_0'],
      objectClassName: 'domain',
      handle: 'padaria-exemplo.com.br',
      ldhName: 'padaria-exemplo.com.br',
      status: ['active'],
      entities: [{ objectClassName: 'entity', handle: '00.000.000/0001-00', roles: ['registrant'] }],
      events: [event('registration', '2008-07-01T12:00:00Z'), event('expiration', '2027-07-01T12:00:00Z')],
      nameservers: SERVERS.map((name) => ({
        ...server(name),
        events: [event('delegation check', '2026-11-21T12:00:00Z')],
      })),
      secureDNS: {},
    },
    expected: {
      registrar: null,
      ianaId: null,
      abuse: [null, null],
      created: '2008-07-01T12:00:00.000Z',
      expires: '2027-07-01T12:00:00.000Z',
      statuses: ['active'],
      nameServers: SERVERS,
      dnssec: 'unknown',
    },
  },
];
