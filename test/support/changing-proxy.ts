import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response on its way to the caller, which a test can change. */
export interface ProxiedResponse {
  /** Query of the call. */
  readonly query: URLSearchParams;
  status: number;
  headers: Record<string, string>;
  // Bodies differ by operation.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Changes a response. `call` is the request without its query, such as `POST /abilities/v1/…/run`. */
export type ChangeResponse = (call: string, answer: ProxiedResponse) => void;

export interface ChangingProxy {
  /** Returns the address of the service with a change. */
  url(change: string): string;
  close(): Promise<void>;
}

/** Headers of the connection or of the compression. The proxy sets its own. */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'date',
]);

/** Starts a proxy for a service that changes responses. Each change has an address. */
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
