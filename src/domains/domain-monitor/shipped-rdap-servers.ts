import type { RdapServers } from './rdap-bootstrap.ts';

/** Date on which IANA published the registry that matches the list below. */
export const SHIPPED_PUBLICATION = '2026-07-23';

/**
 * RDAP servers with the TLDs that they serve, from the registry of IANA. The list covers the TLDs of most sites and is
 * used until that registry is loaded. Other TLDs are looked up by WHOIS. The registry itself has no server for some
 * TLDs, such as `.io`, `.me`, `.co` and `.ch`.
 */
const BY_SERVER: Readonly<Record<string, string>> = {
  'https://rdap.verisign.com/com/v1/': 'com',
  'https://rdap.verisign.com/net/v1/': 'net',
  'https://tld-rdap.verisign.com/cc/v1/': 'cc',
  'https://tld-rdap.verisign.com/name/v1/': 'name',
  'https://rdap.publicinterestregistry.org/rdap/': 'org ngo ong charity foundation gives giving xn--c1avg',
  'https://pubapi.registry.google/rdap/': `app boo cal channel chrome dad day dev docs eat esq fly foo gle gmail google
    hangout here how ing map meme mov new nexus page phd play prod prof rsvp search soy youtube zip`,
  'https://rdap.identitydigital.services/rdap/': `academy accountants agency airforce apartments archi army associates
    attorney auction band bargains bet bike bingo bio black blue boutique broker builders business cab cafe camera camp
    capital cards care careers cash casino catering center chat cheap church city claims cleaning clinic clothing coach
    codes coffee community company computer condos construction contact contractors cool coupons credit creditcard
    cruises dance dating deals degree delivery democrat dental dentist diamonds digital direct directory discount doctor
    dog domains education email energy engineer engineering enterprises equipment estate events exchange expert exposed
    express fail family fan farm finance financial fish fitness flights florist football forex forsale fund furniture
    futbol fyi gallery games gifts glass gmbh gold golf graphics gratis green gripe group guide guru haus healthcare
    hockey holdings holiday hospital house immo immobilien industries info institute insure international
    investments irish jetzt jewelry kaufen kim kitchen land lawyer lease legal lgbt life lighting limited limo live llc
    loans ltd maison management market marketing markets mba media memorial mobi moda money mortgage movie navy network
    news ninja organic partners parts pet photography photos pictures pink pizza place plumbing plus poker pro
    productions promo properties pub recipes red rehab reise reisen rentals repair report republican restaurant reviews
    rip rocks run sale salon sarl school schule services shiksha shoes shopping show singles ski soccer social software
    solar solutions studio style supplies supply support surgery systems tax taxi team technology tennis theater tienda
    tips tires today tools tours town toys trading training travel university vacations ventures vet viajes video villas
    vin vision vote voto voyage watch wine works world wtf zone`,
  'https://rdap.radix.host/rdap/': 'fun host online press pw site space store tech uno website',
  'https://rdap.centralnic.com/xyz/': 'xyz',
  'https://rdap.nic.biz/': 'biz',
  'https://rdap.nic.tv/': 'tv',
  'https://rdap.nic.ink/': 'ink',
  'https://rdap.nic.insurance/': 'insurance',
  'https://rdap.nic.club/': 'club',
  'https://rdap.registry.cloud/rdap/': 'cloud',
  'https://rdap.nic.design/': 'design',
  'https://rdap.gmoregistry.net/rdap/': 'shop',
  'https://rdap.blog.fury.ca/rdap/': 'blog',
  'https://rdap.zdnsgtld.com/top/': 'top',
  'https://rdap.nic.vip/': 'vip',
  'https://rdap.nic.work/': 'work',
  'https://rdap.nic.berlin/v1/': 'berlin',
  'https://rdap.nic.hamburg/v1/': 'hamburg',
  'https://rdap.nic.paris/': 'paris',
  'https://rdap.nic.swiss/': 'swiss',
  'https://rdap.nic.fr/': 'fr',
  'https://rdap.nic.pm/': 'pm',
  'https://rdap.nic.re/': 're',
  'https://rdap.nic.tf/': 'tf',
  'https://rdap.nic.wf/': 'wf',
  'https://rdap.nic.yt/': 'yt',
  'https://rdap.nominet.uk/uk/': 'uk',
  'https://rdap.centralnic.com/london/': 'london',
  'https://rdap.sidn.nl/': 'nl',
  'https://rdap.nic.cz/': 'cz',
  'https://rdap.dns.pl/': 'pl',
  'https://rdap.norid.no/': 'no',
  'https://rdap.fi/rdap/rdap/': 'fi',
  'https://rdap.isnic.is/rdap/': 'is',
  'https://rdap.register.si/': 'si',
  'https://rdap.ca.fury.ca/rdap/': 'ca',
  'https://rdap.cctld.au/rdap/': 'au',
  'https://rdap.registro.br/': 'br',
  'https://rdap.nic.ar/': 'ar',
  'https://rdap.nixiregistry.in/rdap/': 'in',
  'https://rdap.sgnic.sg/rdap/': 'sg',
  'https://ccrdap.twnic.tw/tw/': 'tw',
  'https://rdap.pandi.id/rdap/': 'id',
  'https://rdap.hostmaster.ua/': 'ua',
};

export const SHIPPED_RDAP_SERVERS: RdapServers = new Map(
  Object.entries(BY_SERVER).flatMap(([server, zones]) =>
    zones.split(/\s+/).map((zone): [string, string] => [zone, server]),
  ),
);
