import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer on its way to the caller; what a test sets here is what the caller gets. */
export interface ProxiedResponse {
  /** That the call came with. */
  readonly query: URLSearchParams;
  status: number;
  headers: Record<string, string>;
  // What a service answers; a test changes what it means to.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** What is done to an answer; `call` is the request, as `POST /abilities/v1/…/run`, without its query. */
export type ChangeResponse = (call: string, answer: ProxiedResponse) => void;

export interface ChangingProxy {
  /** Where the service is reached with a change. */
  url(change: string): string;
  close(): Promise<void>;
}

/** Of the connection, or of how a body is packed; the proxy packs it anew. */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'date',
]);

/** Stands before a service and changes its answers, under an address for each change. */
export async function startChangingProxy(
  target: string,
  changes: Record<string, ChangeResponse>,
): Promise<ChangingProxy> {
  const server = createServer((request, response) => {
    void (async () => {
      const [, name = '', path = '/'] = /^\/([^/?]*)(.*)$/.exec(request.url ?? '') ?? [];
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const sent = { ...request.headers } as Record<string, string>;
      for (const header of ['connection', 'content-length', 'transfer-encoding', 'host']) delete sent[header];
      const method = request.method ?? 'GET';
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const got = await fetch(target + path, { method, headers: sent, ...body, redirect: 'manual' });
      const text = await got.text();
      const isJson = got.headers.get('content-type')?.includes('json') === true && text !== '';
      const answer: ProxiedResponse = {
        query: new URL(path, target).searchParams,
        status: got.status,
        headers: Object.fromEntries([...got.headers].filter(([header]) => !HOP_BY_HOP_HEADERS.has(header))),
        body: isJson ? JSON.parse(text) : text,
      };
      changes[name]?.(`${method} ${path.split('?')[0]}`, answer);
      const out = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      const length = out === '' ? {} : { 'content-length': Buffer.byteLength(out) };
      response.writeHead(answer.status, { ...answer.headers, ...length }).end(method === 'HEAD' ? '' : out);
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (change) => `http://127.0.0.1:${port}/${change}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
