import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Surface } from '../contract/index.ts';
import type { Caller } from '../shared/caller.ts';
import { ForbiddenError, UnauthenticatedError } from '../shared/errors.ts';
import { allowHeader } from './allowed-methods.ts';
import { disconnectSignal, ignoreDisconnect } from './client-disconnect.ts';
import type { Dispatch } from './operation-types.ts';

export const MCP_PATH = '/mcp';

export type SurfaceDispatch = Readonly<Record<Surface, Dispatch>>;

export interface McpCall {
  caller: Caller;
  dispatch: SurfaceDispatch;
  disconnectSignal: AbortSignal;
  /** True if all tools are listed and not only the search tools. */
  allTools: boolean;
  reportOperation: (operation: string) => void;
}

/** Answers one MCP message. `request` has only the headers, `message` is the parsed body. */
export type ServeMcp = (call: McpCall, request: globalThis.Request, message: unknown) => Promise<globalThis.Response>;

const METHOD = 'POST';

/**
 * Checks the origin of MCP requests, as MCP requires. Refuses origins other than `origins` with
 * `svc_permission_denied`, because DNS rebinding can make a browser send requests to this service. Runs before
 * authentication. Also answers preflights.
 */
export function mcpOriginCheck(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    const origin = request.get('origin');
    if (origin !== undefined && !allowed.has(origin))
      return next(
        new ForbiddenError(
          'svc_permission_denied',
          'This origin is not allowed. SITEFLEET_CORS_ORIGINS lists the allowed origins.',
        ),
      );
    if (request.method !== 'OPTIONS') return next();
    return void response
      .set('Allow', allowHeader([METHOD]))
      .status(204)
      .end();
  };
}

/**
 * Implements the Streamable HTTP transport of MCP without sessions: each message is its own POST, so any process can
 * answer it.
 */
export function mcpEndpoint(
  serve: ServeMcp,
  dispatchFor: (...outer: [Request, Response]) => SurfaceDispatch,
): RequestHandler {
  return (request, response, next) => {
    response.locals.operationId = 'mcp';
    if (request.method !== METHOD)
      return sendMcpError(
        response.set('Allow', allowHeader([METHOD])),
        405,
        'Only POST is supported, because the endpoint has no sessions.',
      );
    // A JSON-RPC batch is refused, because the rate limit would count its calls as one.
    if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
      return sendMcpError(response, 400, 'The body must be a single JSON-RPC message.');
    return void serve(toMcpCall(request, response, dispatchFor), webRequest(request), request.body)
      .then((answer) => sendWebResponse(response, answer))
      .catch((error: unknown) => next(error));
  };
}

function toMcpCall(
  request: Request,
  response: Response,
  dispatchFor: (...outer: [Request, Response]) => SurfaceDispatch,
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

const MCP_HEADERS = /^(accept|content-type|mcp-.*)$/;

function webRequest(request: Request): globalThis.Request {
  const headers = Object.entries(request.headers).filter(
    (entry): entry is [string, string] => MCP_HEADERS.test(entry[0]) && typeof entry[1] === 'string',
  );
  return new Request(`http://localhost${MCP_PATH}`, { method: METHOD, headers });
}

async function sendWebResponse(response: Response, answer: globalThis.Response): Promise<void> {
  const { status, headers, body } = answer;
  response.status(status);
  for (const [name, value] of headers) if (name !== 'connection') response.setHeader(name, value);
  if (!body) return void response.end();
  // A complete message is sent with one write. A stream of events starts at once.
  if (headers.get('content-type') === 'application/json') return void response.end(await answer.text());
  // The pipeline has nine listeners of its own. With those of the call, Node would warn of a leak.
  response.setMaxListeners(20);
  response.flushHeaders();
  await pipeline(Readable.fromWeb(body), response).catch(ignoreDisconnect);
}

function sendMcpError(response: Response, status: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32_600, message }, id: null });
}
