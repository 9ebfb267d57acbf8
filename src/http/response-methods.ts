import { OutgoingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Response } from 'express';
import { cachedTextOf, cacheText } from './cached-bodies.ts';
import { ignoreDisconnect } from './client-disconnect.ts';
import { hasLongList, jsonPieces } from './json-pieces.ts';

type WriteHead = (this: Response, status: number, ...rest: unknown[]) => Response;

/** The types of Node have this method for requests only. */
type WithRawNames = Response & { getRawHeaderNames: () => string[] };

/** Names and values in turn. */
type HeaderList = unknown[];

const JSON_TYPE = 'application/json; charset=utf-8';
const { writeHead } = ServerResponse.prototype as unknown as { writeHead: WriteHead };

/** Key under which Node keeps the headers that were set. */
const SET_HEADERS =
  Object.getOwnPropertySymbols(new OutgoingMessage()).find(({ description }) => description === 'kOutHeaders') ??
  Symbol('unknown');

/**
 * Replaces two methods of the application's responses. `writeHead` adds the fixed headers and `X-Request-Id` to every
 * response, so no route can forget them; a header that a route has set itself stays. `json` sends header and body in
 * one write, while Express sends two buffers. Long lists are converted and sent in pieces.
 */
export function prepareResponses(
  { response }: Express,
  fixed: readonly (readonly [name: string, value: string])[],
): void {
  const fixedHeaders = fixed.map(([name, value]) => ({ key: name.toLowerCase(), name, value }));
  const methods: { writeHead: WriteHead; json: (this: Response, body: unknown) => Response } = {
    writeHead(status, first, second) {
      const message = typeof first === 'string' ? first : undefined;
      const list = headerListOf(second ?? (message === undefined ? first : undefined));
      const keys = new Set<string>();
      for (let at = 0; at < list.length; at += 2) keys.add(String(list[at]).toLowerCase());
      for (const name of (this as WithRawNames).getRawHeaderNames()) {
        const key = name.toLowerCase();
        if (keys.has(key)) continue;
        keys.add(key);
        list.push(name, this.getHeader(key));
      }
      for (const { key, name, value } of fixedHeaders) if (!keys.has(key)) list.push(name, value);
      const id = this.locals?.requestId;
      if (id !== undefined && !keys.has('x-request-id')) list.push('X-Request-Id', id);
      // Node writes the list as it is if no header was set, and otherwise sets each header of the list first.
      const internals = this as unknown as Record<symbol, unknown>;
      const set = internals[SET_HEADERS];
      internals[SET_HEADERS] = null;
      try {
        return writeHead.call(this, status, message, list);
      } finally {
        // `getHeader` must find the headers after they were sent too.
        internals[SET_HEADERS] = set;
      }
    },
    json(body) {
      const cached = cachedTextOf(body);
      if (cached === null && hasLongList(body)) {
        sendInPieces(this, body).catch((error: unknown) => this.req.next?.(error));
        return this;
      }
      const text = cached ?? JSON.stringify(body);
      if (cached === null) cacheText(body, text.length, () => text);
      writeJsonHead(this, Buffer.byteLength(text));
      return this.end(text);
    },
  };
  Object.assign(response, methods);
}

function headerListOf(headers: unknown): HeaderList {
  if (!Array.isArray(headers)) return Object.entries(headers ?? {}).flat();
  return Array.isArray(headers[0]) ? headers.flat() : [...(headers as HeaderList)];
}

function writeJsonHead(response: Response, length: number): void {
  const type = response.hasHeader('Content-Type') ? [] : ['Content-Type', JSON_TYPE];
  response.writeHead(response.statusCode, [...type, 'Content-Length', String(length)]);
}

async function sendInPieces(response: Response, body: unknown): Promise<void> {
  const pieces = await jsonPieces(body);
  const bytes = pieces.reduce((length, piece) => length + piece.length, 0);
  cacheText(body, bytes, () => Buffer.concat(pieces).toString());
  writeJsonHead(response, bytes);
  await pipeline(Readable.from(pieces), response).catch(ignoreDisconnect);
}
