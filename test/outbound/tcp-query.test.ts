import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createOutbound, OutboundError, type Outbound } from '../../src/outbound/index.ts';
import { thrownBy } from '../connector/support.ts';

describe('TCP query', () => {
  let outbound: Outbound;
  let server: Server;
  let sockets: Set<Socket>;
  let talk: (socket: Socket, text: string) => void;
  beforeEach(async () => {
    outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'] });
    sockets = new Set();
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('data', (text: Buffer) => talk(socket, text.toString('utf8')));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await outbound.close();
  });

  const wanted = (more: object = {}) => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    text: 'example.com\r\n',
    deadlineMs: 5_000,
    maxBytes: 1_000,
    ...more,
  });
  const faultOf = async (more: object = {}): Promise<string> => {
    const error = await thrownBy(() => outbound.query(wanted(more)));
    return error instanceof OutboundError ? error.fault : ((error as { code?: string }).code ?? error.message);
  };

  it('when the server responds and closes, then everything it sent is the response', async () => {
    talk = (socket, text) => {
      socket.write(`You asked ${text}`);
      setTimeout(() => socket.end('Bye'), 20);
    };
    assert.equal((await outbound.query(wanted())).toString('utf8'), 'You asked example.com\r\nBye');
  });

  it('when the server sends more than the limit, then the fault is body_too_large', async () => {
    talk = (socket) => socket.end('x'.repeat(1_001));
    assert.equal(await faultOf(), 'body_too_large');
    talk = (socket) => socket.end('x'.repeat(1_000));
    assert.equal((await outbound.query(wanted())).length, 1_000);
  });

  it('when the server sends nothing or never ends, then the deadline ends the query', async () => {
    talk = () => undefined;
    assert.equal(await faultOf({ deadlineMs: 100 }), 'timeout');
    talk = (socket) => {
      const timer = setInterval(() => socket.write('a'), 10);
      socket.on('close', () => clearInterval(timer));
    };
    assert.equal(await faultOf({ deadlineMs: 200 }), 'timeout');
  });

  it('when the connection breaks or fails, then the fault says so', async () => {
    talk = (socket) => socket.resetAndDestroy();
    assert.equal(await faultOf(), 'reset');
    assert.equal(await faultOf({ host: '127.255.255.254', port: 1 }), 'connect');
  });

  it('when the query is aborted, then it ends at once', async () => {
    talk = () => undefined;
    const giveUp = new AbortController();
    const ended = faultOf({ signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 20);
    assert.equal(await ended, 'aborted');
    assert.equal(await faultOf({ signal: AbortSignal.abort() }), 'aborted');
  });

  it('when the address is forbidden, then no connection is opened', async () => {
    for (const host of ['10.0.0.1', '[::1]', '0', '169.254.169.254'])
      assert.equal(await faultOf({ host }), 'svc_address_refused', host);
    for (const host of ['', 'a@127.0.0.1', 'a b']) assert.equal(await faultOf({ host }), 'svc_invalid_url', host);
  });
});
