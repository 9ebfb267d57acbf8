import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface LaterRelease {
  url: string;
  pdfBytes: () => number;
  close: () => void;
}

/**
 * Opens a proxy that passes calls on to a service, and gives jobs a new type, as a later release could. Types of jobs
 * can get new values, so a client must not fail.
 */
export async function openLaterRelease(service: string): Promise<LaterRelease> {
  let pdfBytes = 0;
  const server = createServer((call, response) => {
    const { method, url = '/', headers } = call;
    const isJob = method === 'GET' && /\/jobs\/[^/]+$/.test(url.split('?')[0] ?? '');
    const onward = httpRequest(service + url, { method, headers: { ...headers, 'accept-encoding': 'identity' } });
    onward.on('error', () => response.destroy());
    onward.on('response', (answer) => {
      void buffer(answer).then((body) => {
        if (answer.headers['content-type'] === 'application/pdf') pdfBytes = body.length;
        const sent = isJob ? Buffer.from(body.toString().replace('"type":"sync"', '"type":"teleport"')) : body;
        const { 'transfer-encoding': _chunked, ...kept } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, { ...kept, 'content-length': sent.length }).end(sent);
      });
    });
    call.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pdfBytes: () => pdfBytes,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
