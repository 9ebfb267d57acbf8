import { ServerResponse } from 'node:http';
import type { Express, Response } from 'express';

type WriteHead = (this: Response, status: number, ...rest: unknown[]) => Response;

/** A flat list of names and values, as `writeHead` takes it. */
type HeaderList = readonly string[];

const JSON_TYPE = 'application/json; charset=utf-8';
const { writeHead } = ServerResponse.prototype as unknown as { writeHead: WriteHead };

/**
 * Replaces two methods of the application's responses. `writeHead` adds the fixed headers and `X-Request-Id` to every
 * response, so no route can forget them; a header that a route has set itself stays. `json` sends header and body in
 * one write, while Express sends two buffers.
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
      // Node writes a list without a look at each header, but only if none was set before.
      if (rest.length <= 1 && (headers === undefined || Array.isArray(headers)) && this.getHeaderNames().length === 0)
        return writeHead.call(this, status, headers ? [...own, ...(headers as HeaderList)] : own);
      for (let at = 0; at < own.length; at += 2) {
        const name = own[at] as string;
        if (!this.hasHeader(name)) this.setHeader(name, own[at + 1] as string);
      }
      return writeHead.call(this, status, ...rest);
    },
    json(body) {
      const text = JSON.stringify(body);
      const length = Buffer.byteLength(text);
      if (this.getHeaderNames().length === 0)
        this.writeHead(this.statusCode, ['Content-Type', JSON_TYPE, 'Content-Length', String(length)]);
      else {
        if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', JSON_TYPE);
        this.setHeader('Content-Length', length);
      }
      return this.end(text);
    },
  };
  Object.assign(response, methods);
}
