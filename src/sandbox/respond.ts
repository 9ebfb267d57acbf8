import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { FaultSpec } from './faults.ts';
import { fatalPage, outagePage, type PageVisit } from './outages.ts';
import { CHALLENGE_PAGE, UNAUTHORIZED_PAGE, type HttpPage } from './pages.ts';
import { frame, phpJson } from './protocol/frame.ts';
import { resetConnection } from './reset-connection.ts';

const HTML = { 'content-type': 'text/html; charset=UTF-8' };
const NOISE_BLOCK = Buffer.alloc(64 * 1024, '<p>noise</p>\n'.padEnd(16, ' '));

export function faultResponder(trouble: FaultSpec, asked: PageVisit): ((response: ServerResponse) => void) | undefined {
  switch (trouble.kind) {
    case 'refuse':
      return resetConnection;
    case 'hang':
      return (response) => void trouble.until?.then(() => resetConnection(response));
    case 'redirect':
      return (response) => sendResponse(response, trouble.status, '', { ...HTML, location: trouble.location });
    case 'basic': {
      const wanted = `Basic ${Buffer.from(`${trouble.user}:${trouble.password}`).toString('base64')}`;
      if (asked.request.headers.authorization === wanted) return undefined;
      return (response) =>
        sendResponse(response, 401, UNAUTHORIZED_PAGE, { ...HTML, 'www-authenticate': 'Basic realm="Restricted"' });
    }
    case 'challenge':
      return (response) => sendResponse(response, trouble.status ?? 403, trouble.body ?? CHALLENGE_PAGE, HTML);
    case 'raw':
      return (response) => sendResponse(response, trouble.status, trouble.body, { ...HTML, ...trouble.headers });
    case 'fatal':
      return trouble.when === 'before' ? (response) => sendWholePage(response, fatalPage(asked)) : undefined;
    case 'closed-ajax':
    case 'maintenance':
    case 'database':
    case 'not-installed':
    case 'php-down':
    case 'too-large':
    case 'no-wordpress': {
      const page = outagePage(trouble, asked);
      return page && ((response) => sendWholePage(response, page));
    }
    default:
      return undefined;
  }
}

const sendWholePage = (response: ServerResponse, { status, headers, body }: HttpPage): void =>
  sendResponse(response, status, body, headers);

function sendResponse(response: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

export function sendPage(response: ServerResponse, page: HttpPage, trouble: FaultSpec | null, headOnly: boolean): void {
  const body = Buffer.from(faultyBody(page, trouble), 'utf8');
  if (headOnly) {
    response.writeHead(page.status, { ...page.headers, 'content-length': body.length });
    response.end();
    return;
  }
  switch (trouble?.kind) {
    case 'gzip': {
      const packed = gzipSync(body);
      response.writeHead(page.status, { ...page.headers, 'content-encoding': 'gzip', 'content-length': packed.length });
      response.end(packed);
      return;
    }
    case 'cut': {
      response.writeHead(page.status, { ...page.headers, 'content-length': body.length });
      const part = body.subarray(0, Math.min(trouble.bytes ?? Math.floor(body.length / 2), body.length - 1));
      response.write(part, () => response.socket?.destroySoon());
      return;
    }
    case 'drip':
      response.writeHead(page.status, { ...page.headers, 'content-length': body.length });
      sendInDrips(response, body, trouble.bytes ?? 16, trouble.everyMs ?? 100);
      return;
    case 'huge':
      response.writeHead(page.status, { ...page.headers, 'content-length': body.length + trouble.bytes });
      sendNoiseThenEnd(response, trouble.bytes, body);
      return;
    default:
      response.writeHead(page.status, { ...page.headers, 'content-length': body.length });
      response.end(body);
  }
}

function faultyBody(page: HttpPage, trouble: FaultSpec | null): string {
  if (trouble === null) return page.body;
  if (trouble.kind === 'noise') return trouble.text + page.body;
  if (page.frame === undefined) return page.body;
  const { noise, json } = page.frame;
  switch (trouble.kind) {
    case 'invalid-base64':
      return `${noise}<mainwp>@@${Buffer.from(json).toString('base64').slice(2)}</mainwp>`;
    case 'invalid-json':
      return noise + frame(json.slice(0, -2));
    case 'scalar':
      return noise + frame(phpJson(trouble.value));
    case 'two-frames':
      return frame(phpJson(trouble.forged)) + page.body;
    case 'forged':
      return noise + frame(phpJson(trouble.answer));
    default:
      return page.body;
  }
}

function sendInDrips(response: ServerResponse, body: Buffer, bytes: number, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + bytes));
    sent += bytes;
    if (sent >= body.length) response.end();
  }, everyMs);
  response.on('close', () => clearInterval(timer));
  response.on('finish', () => clearInterval(timer));
}

function sendNoiseThenEnd(response: ServerResponse, bytes: number, ending: Buffer): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0) {
      if (response.destroyed) return;
      const block = left >= NOISE_BLOCK.length ? NOISE_BLOCK : NOISE_BLOCK.subarray(0, left);
      left -= block.length;
      if (!response.write(block)) {
        response.once('drain', more);
        return;
      }
    }
    response.end(ending);
  };
  more();
}
