const PUBLIC = '93.184.215.14';
/** Names with their addresses. */
export const DNS_RECORDS: Record<string, string[]> = {
  'public.example': [PUBLIC],
  localhost: ['127.0.0.1'],
  'loop.example': ['127.0.0.1'],
  'inner.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  // One allowed address is not enough, because an attacker could choose which one is used.
  'both.example': [PUBLIC, '127.0.0.1'],
  'both6.example': [PUBLIC, '::1'],
};

/** Forbidden addresses in every form. `P` is a port. */
export const REFUSED_ADDRESSES = [
  ...['127.0.0.1:P', '127.255.255.254:P', '0.0.0.0:P', '0:P', '127.1:P', '127.0.1:P', '127.0.0.1.:P', 'localhost:P'],
  ...[
    '2130706433:P',
    '0x7f000001:P',
    '0x7f.1:P',
    '0x7f.0x0.0x0.0x1:P',
    '017700000001:P',
    '0177.0.0.1:P',
    '%31%32%37.1:P',
  ],
  ...['①②⑦.⓪.⓪.①:P', '127。0。0。1:P', 'LOCALHOST:P', 'localhost.:P', 'loop.example:P', 'loop.example.:P'],
  ...['[::1]:P', '[::]:P', '[0:0:0:0:0:0:0:1]:P', '[::ffff:127.0.0.1]:P', '[::ffff:7f00:1]:P', '[::127.0.0.1]:P'],
  ...['[::ffff:0:127.0.0.1]:P', '[64:ff9b::7f00:1]:P', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::7f00:1]:P'],
  ...['[2002:7f00:1::]:P', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::80ff:fffe]:P', '[fe80::1]:P', '[fec0::1]:P'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '169.254.1.1', '169.254.169.254'],
  ...['2852039166', '0xa9fea9fe', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1', '192.0.2.7'],
  ...['203.0.113.9', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'inner.example', 'metadata.example'],
  ...['mapped.example:P', 'nat64.example:P', 'both.example:P', 'both6.example:P'],
].flatMap((host) => [`http://${host}/`, `https://${host}/`]);

export const MALFORMED_URLS = [
  'http://user:pass@127.0.0.1:P/',
  'http://public.example@127.0.0.1:P/',
  'http://public.example%40127.0.0.1:P/',
  'http://public.example:80@127.0.0.1:P/',
  'http://127.0.0.1:P#@public.example/',
  'http://127.0.0.1:P?@public.example/',
  'http:\\\\127.0.0.1:P\\',
  'http:/127.0.0.1:P/',
  'http:127.0.0.1:P/',
  '//127.0.0.1:P/',
  '127.0.0.1:P',
  ' javascript:fetch("http://127.0.0.1:P/")',
  ...['ftp', 'file', 'gopher', 'ws', 'data', 'dict', 'ldap', 'unix'].map((scheme) => `${scheme}://127.0.0.1:P/`),
  ...[22, 25, 53, 110, 143, 3306, 5432, 6379, 11211].map((port) => `http://public.example:${port}/`),
  'http://[::1',
  'http://[127.0.0.1]:P/',
  'http://127.0.0.1:P:80/',
  'http://127.0.0.1:99999/',
  'http://..:P/',
  'http://a..b:P/',
  'http://0x7f.0.0.0.1:P/',
  'http://256.0.0.1:P/',
];

/** Returns a lookup function that replaces the resolver of the system. */
export const createLookup = (names: Record<string, string[]>) => async (host: string) => {
  const found = names[host.toLowerCase()];
  if (!found) throw new Error('ENOTFOUND');
  return found.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));
};
