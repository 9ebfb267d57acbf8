import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { CodedInvalidError } from '../shared/errors.ts';

/**
 * Decides which URLs and addresses may be dialed. Does no network I/O.
 *
 * By default only globally routed unicast addresses are allowed. An operator can allow more networks, but never the
 * metadata addresses of cloud providers, which return credentials.
 */
export interface AddressGuard {
  parseUrl(url: string): URL;
  check(address: string, host: string): void;
  allows(address: string): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Instance metadata and credential services of the large clouds. Refused even inside a network that is allowed. */
const METADATA = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
  ].map((text) => ipaddr.parse(text).toString()),
);

/** Ranges that ipaddr.js may classify as unicast although they contain no public site. */
const ALSO_REFUSED = [
  '192.88.99.0/24',
  '198.18.0.0/15',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
]
  .concat(['2001::/23', '2001:db8::/32', '3fff::/20', '2620:4f:8000::/48'])
  .map((cidr) => ipaddr.parseCIDR(cidr));

/** Ports of mail, remote shell, file and chat services, as in browsers: an HTTP request there is an attack. */
const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060,
  5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017,
]);

const MAX_URL = 2048;
const MAX_VERDICTS = 20_000;

export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const allowed = allowedNetworks.map(parseNetwork);

  const verdicts = new Map<string, boolean>();

  function allows(text: string): boolean {
    const known = verdicts.get(text);
    if (known !== undefined) return known;
    const isAllowed = judge(text);
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
    verdicts.set(text, isAllowed);
    return isAllowed;
  }

  function judge(text: string): boolean {
    if (!ipaddr.isValid(text)) return false;
    return listAddressesToCheck(ipaddr.parse(text)).every(
      (form) =>
        !METADATA.has(form.toString()) && (isPublic(form) || allowed.some((network) => contains(network, form))),
    );
  }

  return {
    allows,
    parseUrl,
    check(address, host) {
      if (allows(address)) return;
      throw new CodedInvalidError(
        'svc_address_refused',
        'The address of this host is in a network that this service must not call. An operator can allow private ' +
          'networks with `SITEFLEET_ALLOWED_NETWORKS`.',
        { host },
      );
    },
  };
}

function parseUrl(text: string): URL {
  let url: URL;
  try {
    if (text.length > MAX_URL) throw new TypeError('too long');
    url = new URL(text);
  } catch {
    throw new CodedInvalidError('svc_invalid_url', 'This is not a valid URL.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CodedInvalidError('svc_invalid_url', 'Only http and https URLs can be called.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CodedInvalidError('svc_invalid_url', 'A URL must not contain a user name or a password.');
  }
  if (url.port !== '' && BLOCKED_PORTS.has(Number(url.port))) {
    throw new CodedInvalidError('svc_invalid_url', 'Calls to this port are not allowed.');
  }
  // A trailing dot only marks the name as absolute; certificates and virtual hosts do not carry it.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '');
  if (url.hostname === '' || url.hostname.split('.').includes('')) {
    throw new CodedInvalidError('svc_invalid_url', 'The host of this URL is not valid.');
  }
  return url;
}

export function ipLiteralOf(hostname: string): string | null {
  const isBracketed = hostname.startsWith('[');
  const bare = isBracketed ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === (isBracketed ? 6 : 4) ? bare : null;
}

function parseNetwork(cidr: string): [Address, number] {
  try {
    const text = cidr.trim();
    if (text.includes('/')) return ipaddr.parseCIDR(text);
    const single = ipaddr.parse(text);
    return [single, single.kind() === 'ipv4' ? 32 : 128];
  } catch {
    throw new Error(`This is not a network in CIDR notation: ${JSON.stringify(cidr)}`);
  }
}

/**
 * Returns the addresses to check. If an IPv6 address embeds IPv4 addresses, these are the embedded ones, because the
 * packets go there.
 */
function listAddressesToCheck(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [address];
  const bytes = address.toByteArray();
  const starts = (...head: number[]): boolean => head.every((byte, index) => bytes[index] === byte);
  const v4 = (offset: number, mask = 0): Address =>
    new ipaddr.IPv4(bytes.slice(offset, offset + 4).map((byte) => byte ^ mask));
  const leadingZeros = bytes.findIndex((byte) => byte !== 0);
  if (leadingZeros === 10 && bytes[10] === 0xff && bytes[11] === 0xff) return [v4(12)];
  // IPv4-compatible (::a.b.c.d). `::`, `::1` and the other addresses up to `::ffff` are not converted; they are not
  // public.
  if (leadingZeros === 12 || leadingZeros === 13) return [v4(12)];
  // IPv4-translated (::ffff:0:a.b.c.d, RFC 6145).
  if (leadingZeros === 8 && bytes[8] === 0xff && bytes[9] === 0xff && bytes[10] === 0 && bytes[11] === 0)
    return [v4(12)];
  if (starts(0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0)) return [v4(12)];
  if (starts(0x20, 0x02)) return [v4(2)];
  // Teredo (IPv6 in a tunnel): the server's address is plain, the client's address has every bit inverted.
  if (starts(0x20, 0x01, 0, 0)) return [v4(4), v4(12, 0xff)];
  return [address];
}

/** The only IPv6 range that was allocated for public addresses. The rest is reserved or has another meaning. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv6' && !contains(GLOBAL_UNICAST, address)) return false;
  return address.range() === 'unicast' && !ALSO_REFUSED.some((network) => contains(network, address));
}

function contains([network, bits]: [Address, number], address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
