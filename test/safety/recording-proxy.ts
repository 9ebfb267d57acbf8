import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy of a simulated site that records the secrets in calls, because the site does not store them. */
export class RecordingProxy {
  readonly url: string;
  /** Secrets that were sent, by kind. */
  readonly recorded = new Map<string, Set<string>>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async start(target: string): Promise<RecordingProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new RecordingProxy(server);
    server.on('request', (request, response) => {
      void (async () => {
        const body = await bytesOf(request);
        proxy.#readForm(body.toString('utf8'));
        const headers = { ...request.headers, host: new URL(target).host };
        const forwarded = httpRequest(new URL(request.url ?? '/', target), { method: request.method, headers });
        forwarded.on('error', () => response.destroy());
        forwarded.end(body);
        const [answer] = (await once(forwarded, 'response')) as [IncomingMessage];
        const text = await bytesOf(answer);
        proxy.#readAnswer(answer, text.toString('latin1'));
        response.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
      })().catch(() => response.destroy());
    });
    return proxy;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #note(kind: string, value: unknown): void {
    if (typeof value !== 'string' || value.length < 12) return;
    const known = this.recorded.get(kind) ?? new Set();
    this.recorded.set(kind, known.add(value));
  }

  #readForm(text: string): void {
    const form = new URLSearchParams(text);
    for (const name of ['mainwpsignature', 'regverify', 'userpwd']) this.#note(name, form.get(name));
  }

  #readAnswer(answer: IncomingMessage, text: string): void {
    for (const line of answer.headers['set-cookie'] ?? []) this.#note('cookie', /=([^;]*)/.exec(line)?.[1]);
    const frame = /<mainwp>([A-Za-z0-9+/=]+)<\/mainwp>/.exec(text)?.[1];
    if (frame === undefined) return;
    try {
      const told = JSON.parse(Buffer.from(frame, 'base64').toString('utf8')) as Record<string, unknown> | null;
      for (const name of ['regverify', 'regverify_info', 'extauth']) this.#note(name, told?.[name]);
    } catch {
      // The response is malformed on purpose.
    }
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
