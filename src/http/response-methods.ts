import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Response } from 'express';
import { ignoreDisconnect } from './client-disconnect.ts';
import { hasLongList, jsonPieces } from './json-pieces.ts';

type WriteHead = (this: Response, status: number, ...rest: unknown[]) => Response;

type HeaderList = readonly string[];

const JSON_TYPE = 'application/json; charset=utf-8';
const { writeHead } = ServerResponse.prototype as unknown as { writeHead: WriteHead };

/**
 * Replaces two methods of the application's responses. `writeHead` adds the fixed headers and `X-Request-Id` to every
 * response, so no route can forget them; a header that a route has set itself stays. `json` sends header and body in
 * one write, while Express sends two buffers. Long lists are converted and sent in pieces.
 */
export function prepareResponses(
  { response }: Express,
  fixed: readonly (readonly [name: string, value: string])[],
): void {
  const list = fixed.flat();
  const methods: { writeHead: WriteHead; json: (this: Response, body: unknown) => Response } = {
    writeHead(status, ...rest) {
      const id = this.locals?.requestId;
      const own = id === undefined ? list : [...list, 'X-Request-Id', id];
      const [headers] = rest;
      // Node writes a list without checking each header, but only if no header was set before.
      if (rest.length <= 1 && (headers === undefined || Array.isArray(headers)) && this.getHeaderNames().length === 0)
        return writeHead.call(this, status, headers ? [...own, ...(headers as HeaderList)] : own);
      for (let at = 0; at < own.length; at += 2) {
        const name = own[at] as string;
        if (!this.hasHeader(name)) this.setHeader(name, own[at + 1] as string);
      }
      return writeHead.call(this, status, ...rest);
    },
    json(body) {
      if (hasLongList(body)) {
        sendInPieces(this, body).catch((error: unknown) => this.req.next?.(error));
        return this;
      }
      const text = JSON.stringify(body);
      setJsonHeaders(this, Buffer.byteLength(text));
      return this.end(text);
    },
  };
  Object.assign(response, methods);
}

function setJsonHeaders(response: Response, length: number): void {
  if (response.getHeaderNames().length === 0)
    response.writeHead(response.statusCode, ['Content-Type', JSON_TYPE, 'Content-Length', String(length)] as never);
  else {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', JSON_TYPE);
    response.setHeader('Content-Length', length);
  }
}

async function sendInPieces(response: Response, body: unknown): Promise<void> {
  const pieces = await jsonPieces(body);
  setJsonHeaders(
    response,
    pieces.reduce((length, piece) => length + piece.length, 0),
  );
  await pipeline(Readable.from(pieces), response).catch(ignoreDisconnect);
}
