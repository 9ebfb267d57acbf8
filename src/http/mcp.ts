import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../shared/caller.ts';
import { ForbiddenError, UnauthenticatedError } from '../shared/errors.ts';
import { disconnectSignal } from './client-disconnect.ts';
import { ignoreDisconnect } from './mount-surface.ts';
import type { Dispatch } from './operation.ts';

export const MCP_PATH = '/mcp';

/** One message of an MCP client, and what is done in its name. */
export interface McpCall {
  caller: Caller;
  /** Runs abilities as if they had come alone. */
  dispatch: Dispatch;
  /** Ends when the client hangs up before it has its answer. */
  disconnectSignal: AbortSignal;
  /** Every tool is listed, rather than those that search. */
  allTools: boolean;
  /** Says which operation it is, for the log and the metrics. */
  reportOperation: (operation: string) => void;
}

/** Answers messages of MCP clients. What it needs of the request but its body stands in the headers. */
export type ServeMcp = (call: McpCall, request: globalThis.Request, message: unknown) => Promise<globalThis.Response>;

const METHOD = 'POST';

/**
 * Before a credential is asked for: a page of another origin is refused, whose browser may have been led here by a name
 * that it controls; and a preflight is answered.
 */
export function mcpOriginCheck(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    const origin = request.get('origin');
    if (origin !== undefined && !allowed.has(origin))
      return next(
        new ForbiddenError(
          'svc_permission_denied',
          'This origin may not call here; SITEFLEET_CORS_ORIGINS names those.',
        ),
      );
    if (request.method !== 'OPTIONS') return next();
    return void response.set('Allow', `${METHOD}, OPTIONS`).status(204).end();
  };
}

/** Streamable HTTP without sessions: each message is a POST of its own, which any process can answer. */
export function mcpEndpoint(serve: ServeMcp, dispatchFor: (...outer: [Request, Response]) => Dispatch): RequestHandler {
  return (request, response, next) => {
    response.locals.operationId = 'mcp';
    if (request.method !== METHOD)
      return refuse(
        response.set('Allow', `${METHOD}, OPTIONS`),
        405,
        'Only POST is served here: there are no sessions.',
      );
    // Several calls in one message would pass every limit of calls as one.
    if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
      return refuse(response, 400, 'The body must be one message of JSON-RPC.');
    return void serve(callOf(request, response, dispatchFor), webRequest(request), request.body)
      .then((answer) => send(response, answer))
      .catch((error: unknown) => next(error));
  };
}

function callOf(
  request: Request,
  response: Response,
  dispatchFor: (...outer: [Request, Response]) => Dispatch,
): McpCall {
  const { caller } = response.locals;
  if (!caller) throw new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.');
  return {
    caller,
    dispatch: dispatchFor(request, response),
    disconnectSignal: disconnectSignal(response),
    allTools: request.query['tools'] === 'all',
    reportOperation: (operation) => (response.locals.operationId = operation),
  };
}

/** The headers that the protocol speaks in. */
const MCP_HEADERS = /^(accept|content-type|mcp-.*)$/;

function webRequest(request: Request): globalThis.Request {
  const headers = Object.entries(request.headers).filter(
    (entry): entry is [string, string] => MCP_HEADERS.test(entry[0]) && typeof entry[1] === 'string',
  );
  return new Request(`http://localhost${MCP_PATH}`, { method: METHOD, headers });
}

async function send(response: Response, { status, headers, body }: globalThis.Response): Promise<void> {
  response.status(status);
  for (const [name, value] of headers) if (name !== 'connection') response.setHeader(name, value);
  if (!body) return void response.end();
  response.flushHeaders();
  await pipeline(Readable.fromWeb(body), response).catch(ignoreDisconnect);
}

/** In words of JSON-RPC, which has no id to name. */
function refuse(response: Response, status: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32_600, message }, id: null });
}
