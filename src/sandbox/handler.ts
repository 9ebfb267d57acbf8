import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerRequest, openLoginLink, type Arrival } from './dispatch.ts';
import type { Trouble } from './faults.ts';
import { CRITICAL_ERROR, frontPage, notFoundPage } from './pages.ts';
import { parseForm, text, type Fields } from './protocol/form.ts';
import { frame } from './protocol/frame.ts';
import type { Reply } from './protocol/reply.ts';
import { withoutSecretHeaders, withoutSecrets, type Gauge, type RequestEntry } from './request-log.ts';
import { refuseWith, send, type Page } from './respond.ts';
import type { SimulatedSite } from './site.ts';

/** One HTTP request to one site: read it, meet the fault laid for it, ask the child, send what came out. */

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const HTML = { 'content-type': 'text/html; charset=UTF-8' };
const AJAX_PATH = '/wp-admin/admin-ajax.php';

export interface Visit {
  site: SimulatedSite;
  request: IncomingMessage;
  response: ServerResponse;
  /** Path below the site, beginning with a slash, without the query. */
  path: string;
  query: string;
  secure: boolean;
  fleetGauge: Gauge;
}

export async function handleVisit(visit: Visit): Promise<void> {
  const { site, request, response } = visit;
  const method = request.method ?? 'GET';
  const entry: RequestEntry = {
    method,
    path: visit.path,
    function: '',
    signed: false,
    at: Date.now(),
    finishedAt: null,
    status: null,
    fields: {},
    headers: withoutSecretHeaders(request.headers),
  };
  site.gauge.enter();
  visit.fleetGauge.enter();
  response.on('close', () => {
    entry.finishedAt = Date.now();
    entry.status = response.headersSent ? response.statusCode : null;
    site.gauge.leave();
    visit.fleetGauge.leave();
  });
  site.remember(entry);

  const fields = method === 'POST' ? await readForm(request) : parseForm(visit.query);
  entry.function = method === 'POST' ? text(fields, 'function') : method;
  entry.signed = text(fields, 'mainwpsignature') !== '';
  entry.fields = withoutSecrets(fields);

  const trouble = site.faults.take(entry.function);
  const refusal = trouble === null ? undefined : refuseWith(trouble, request);
  if (refusal !== undefined) {
    await pause(site.latencyMs);
    refusal(response);
    return;
  }
  await pause(site.latencyMs + (trouble?.kind === 'delay' ? trouble.ms : 0));
  if (response.destroyed) return;
  send(response, pageFor(visit, fields, trouble), trouble, method === 'HEAD');
}

/** The whole form; not one in another encoding, of which PHP's `$_POST` would hold nothing of use here. */
async function readForm(request: IncomingMessage): Promise<Fields> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) return {};
  const type = request.headers['content-type'] ?? '';
  return type.includes('x-www-form-urlencoded') ? parseForm(Buffer.concat(chunks).toString('utf8')) : {};
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function pageFor(visit: Visit, fields: Fields, trouble: Trouble | null): Page {
  const { site, request, path } = visit;
  const answersChild = path === '/' || path === AJAX_PATH || path === '/index.php';
  if (!answersChild) return { status: 404, headers: HTML, body: notFoundPage(site.state.title) };
  const arrival: Arrival = {
    fields,
    cookieHeader: request.headers.cookie,
    cookies: {
      siteUrl: site.siteUrl,
      basePath: new URL(site.url).pathname,
      secure: visit.secure,
      now: site.now(),
    },
    now: site.now(),
  };
  if (request.method === 'POST') return pageOf(visit, answerRequest(site, arrival), trouble);
  const login = openLoginLink(site, arrival);
  if (login !== undefined) {
    return { status: 302, headers: { ...HTML, location: login.location, 'set-cookie': login.cookies }, body: '' };
  }
  return pageOf(visit, { kind: 'ignored' }, trouble);
}

function pageOf(visit: Visit, reply: Reply, trouble: Trouble | null): Page {
  if (trouble?.kind === 'fatal' || reply.kind === 'fatal') {
    return { status: 500, headers: HTML, body: CRITICAL_ERROR };
  }
  if (reply.kind === 'html') return { status: 200, headers: HTML, body: reply.body };
  if (reply.kind === 'ignored') {
    if (visit.path === AJAX_PATH) return { status: 400, headers: HTML, body: '0' };
    return { status: 200, headers: HTML, body: frontPage(visit.site.state.title) };
  }
  const cookies = reply.cookies === undefined ? {} : { 'set-cookie': reply.cookies };
  return {
    status: 200,
    headers: { ...HTML, ...cookies },
    body: (reply.noise ?? '') + frame(reply.json),
    frame: { noise: reply.noise ?? '', json: reply.json },
  };
}
