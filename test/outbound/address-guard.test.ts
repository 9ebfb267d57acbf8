import assert from 'node:assert/strict';
import { createAddressGuard, createOutbound, OutboundError, type ResolvedAddress } from '../../src/outbound/index.ts';
import { InvalidError } from '../../src/shared/errors.ts';
import { startFakeServer, thrownBy } from '../connector/support.ts';

const ask = { method: 'GET', connectTimeoutMs: 1000, deadlineMs: 2000, maxBytes: 10_000 } as const;

const REFUSED_ADDRESSES = [
  ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.1.1'],
  ...['169.254.169.254', '100.100.100.200', '168.63.129.16', '100.64.0.1', '100.127.255.255', '0.0.0.0', '0.1.2.3'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '198.18.0.1', '198.19.255.255', '192.0.2.1'],
  ...['198.51.100.7', '203.0.113.9', '192.0.0.8', '192.88.99.1'],
  ...[
    '::',
    '::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
  ],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '2002:7f00:1::', '2002:c0a8:101::1', '100::1', '5f00::1'],
  // Outside of 2000::/3: not assigned, or not for hosts of the public network.
  ...['1::1', '200::1', '1fff:ffff::1', '4000::1', '6000::1', '8000::1', 'a000::1', 'c000::1', 'e000::1', 'f000::1'],
  ...[
    '0:1::1',
    '::1:0:0:1',
    '64:ff9a::808:808',
    '64:ff9b:0:1::808:808',
    '100:0:0:1::1',
    '2620:4f:8000::1',
    '2001:2::1',
  ],
  // Teredo: a private server, and a private client of a public server.
  ...['2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:3f57:fefe', 'not an address', ''],
];

const PUBLIC_ADDRESSES = [
  ...['1.1.1.1', '8.8.8.8', '93.184.215.14', '100.63.255.255', '172.32.0.1', '192.169.0.1', '2606:4700::1111'],
  ...['2a00:1450:4001:80b::200e', '::ffff:8.8.8.8', '64:ff9b::808:808'],
  ...['2000::1', '2002:808:808::1', '3ffe:ffff::1', '2001:200::1'],
];

describe('address guard', () => {
  const closed = createAddressGuard([]);

  it('when an address is not globally routed, then it is rejected', () => {
    for (const address of REFUSED_ADDRESSES) assert.equal(closed.allows(address), false, address);
  });

  it('when an address is public, then it is allowed', () => {
    for (const address of PUBLIC_ADDRESSES) assert.equal(closed.allows(address), true, address);
  });

  it('when the operator allows a network, then its addresses are allowed in every form, and no others', () => {
    const guard = createAddressGuard([
      '127.0.0.0/8',
      ' 10.2.0.0/16',
      'fd12::/16',
      '192.168.7.7',
      '4000::/16',
      '64:ff9b:1::/48',
    ]);
    for (const address of [
      '4000::1',
      '64:ff9b:1::1',
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '10.2.255.1',
      'fd12::1',
      '192.168.7.7',
    ]) {
      assert.equal(guard.allows(address), true, address);
    }
    for (const address of ['10.3.0.1', 'fd13::1', '192.168.7.8', '::1'])
      assert.equal(guard.allows(address), false, address);
  });

  it('when all networks are allowed, then metadata addresses are still rejected', () => {
    const guard = createAddressGuard(['0.0.0.0/0', '::/0']);
    const metadata = ['169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'];
    for (const address of [...metadata, '100.100.100.200']) assert.equal(guard.allows(address), false, address);
    assert.equal(guard.allows('169.254.1.1'), true);
  });

  it('when a network is malformed, then the error names it', () => {
    assert.throws(() => createAddressGuard(['10.0.0.0/33']), /10\.0\.0\.0\/33/);
    assert.throws(() => createAddressGuard(['intranet']), /intranet/);
  });

  it('when a URL is http or https, has no user information and a web port, then it is accepted', () => {
    for (const url of [
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
      'javascript:alert(1)',
      'x',
      '',
    ]) {
      assert.throws(() => closed.parseUrl(url), { code: 'svc_invalid_url' }, url);
    }
    for (const port of [21, 22, 25, 110, 143, 465, 587, 6379, 6667, 11211]) {
      assert.throws(() => closed.parseUrl(`http://example.com:${port}/`), { code: 'svc_invalid_url' }, String(port));
    }
    assert.throws(() => closed.parseUrl('http://user:secret@example.com/'), { code: 'svc_invalid_url' });
    assert.throws(() => closed.parseUrl(`http://example.com/${'a'.repeat(3000)}`), { code: 'svc_invalid_url' });
    assert.throws(() => closed.parseUrl('http://a..example.com/'), { code: 'svc_invalid_url' });
    assert.equal(closed.parseUrl('https://Example.COM.:8443/a').host, 'example.com:8443');
  });
});

describe('outbound guard for connections', () => {
  const hosts: Record<string, ResolvedAddress[]> = {
    'inner.test': [{ address: '127.0.0.1', family: 4 }],
    'mixed.test': [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
    'six.test': [{ address: '::1', family: 6 }],
    'mapped.test': [{ address: '::ffff:127.0.0.1', family: 6 }],
    'metadata.test': [{ address: '169.254.169.254', family: 4 }],
    localhost: [{ address: '127.0.0.1', family: 4 }],
  };
  const lookup = async (host: string): Promise<ResolvedAddress[]> => {
    const found = hosts[host];
    if (!found) throw new Error('ENOTFOUND');
    return found;
  };

  it('when an address is rejected, then no connection is opened for any form of it', async () => {
    const server = await startFakeServer((_seen, response) => response.end('inside'));
    const outbound = createOutbound({ allowedNetworks: [], lookup });
    const forms = [
      ...[
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f000001',
        '0x7f.1',
        '017700000001',
        '0177.0.0.1',
        '127.0.0.1.',
        '0',
        '0.0.0.0',
      ],
      ...[
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[::127.0.0.1]',
        '[64:ff9b::127.0.0.1]',
        '[2002:7f00:1::]',
      ],
      ...[
        '[0:0:0:0:0:0:0:1]',
        '\u2460\u2461\u2466.0.0.1',
        '127\u30020\u30020\u30021',
        '%31%32%37.0.0.1',
        '127.00.0.01',
      ],
      ...[
        'localhost',
        'LOCALHOST',
        'localhost.',
        'inner.test',
        'inner.test.',
        'INNER.TEST',
        'mixed.test',
        'six.test',
        'mapped.test',
      ],
      ...[
        'metadata.test',
        '169.254.169.254',
        '10.0.0.1',
        '192.168.0.1',
        '100.64.0.1',
        '[fd00::1]',
        '[fe80::1]',
        '2852039166',
      ],
    ];
    assert.ok(forms.length >= 25);
    for (const host of forms) {
      const error = await thrownBy(() => outbound.request({ ...ask, url: `http://${host}:${server.port}/` }));
      assert.ok(error instanceof InvalidError, `${host}: ${error.name}`);
      assert.ok(['svc_address_refused', 'svc_invalid_url'].includes(error.code), host);
      await assert.rejects(outbound.resolve(`http://${host}:${server.port}/`), InvalidError, host);
      const url = `https://${host}:${server.port}/`;
      await assert.rejects(outbound.probeTls({ url, deadlineMs: 1000 }), InvalidError, host);
    }
    assert.equal(server.connections, 0);
    await server.close();
    await outbound.close();
  });

  it('when a name resolves differently later, then the connection uses the checked address', async () => {
    const good = await startFakeServer((_seen, response) => response.end('good'), '127.0.0.2');
    let asked = 0;
    let clock = 0;
    const outbound = createOutbound({
      allowedNetworks: ['127.0.0.2/32'],
      now: () => clock,
      lookup: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }];
      },
    });
    const url = `http://rebind.test:${good.port}/`;
    const answer = await outbound.request({ ...ask, url });
    assert.equal(answer.body.toString(), 'good');
    assert.equal(good.requests[0]?.headers.host, `rebind.test:${good.port}`);
    assert.equal(asked, 1);
    clock = 60_000;
    await assert.rejects(outbound.request({ ...ask, url }), { code: 'svc_address_refused' });
    assert.equal(asked, 2);
    await assert.rejects(
      outbound.request({ ...ask, url, resolved: { host: 'rebind.test', port: 80, address: '10.0.0.1', family: 4 } }),
      { code: 'svc_address_refused' },
    );
    await good.close();
    await outbound.close();
  });

  it('when a redirect leads to a forbidden address, then it is rejected, otherwise followed', async () => {
    const inside = await startFakeServer((_seen, response) => response.end('inside'), '127.0.0.1');
    const outside = await startFakeServer((seen, response) => {
      const to = seen.path === '/in' ? `http://127.0.0.1:${inside.port}/` : '/end';
      if (seen.path === '/end') response.end('end');
      else response.writeHead(302, { location: to }).end();
    }, '127.0.0.2');
    const outbound = createOutbound({ allowedNetworks: ['127.0.0.2/32'] });
    const followed = await outbound.request({ ...ask, url: `${outside.url}out`, maxRedirects: 3 });
    assert.equal(followed.body.toString(), 'end');
    assert.equal(followed.url, `${outside.url}end`);
    await assert.rejects(outbound.request({ ...ask, url: `${outside.url}in`, maxRedirects: 3 }), {
      code: 'svc_address_refused',
    });
    assert.equal(inside.connections, 0);
    await Promise.all([inside.close(), outside.close(), outbound.close()]);
  });

  it('when many callers resolve a name, then there is one lookup, and an unknown name is an error', async () => {
    let asked = 0;
    const outbound = createOutbound({
      allowedNetworks: [],
      lookup: async (host) => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (host === 'gone.test') throw new Error('ENOTFOUND');
        return [
          { address: '2606:4700::1111', family: 6 },
          { address: '1.1.1.1', family: 4 },
        ];
      },
    });
    const found = await Promise.all(Array.from({ length: 50 }, () => outbound.resolve('https://a.test/')));
    assert.equal(asked, 1);
    assert.deepEqual(found[0], { host: 'a.test', port: 443, address: '1.1.1.1', family: 4 });
    const error = await thrownBy(() => outbound.resolve('https://gone.test/'));
    assert.ok(error instanceof OutboundError);
    assert.equal(error.fault, 'dns');
    assert.equal(error.sent, false);
    await outbound.close();
  });
});
