import type { IncomingHttpHeaders } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { CodedInvalidError, TooLargeError } from '../shared/errors.ts';
import { carriesBody } from './front-door.ts';

type Fields = Record<string, unknown>;

/** Serves a layout of addresses that is not ours: a request becomes one of ours at the door, and its answer theirs. */
export interface Translation {
  /** Null for a request of no other layout. */
  enter: (request: AskedRequest) => Crossing | null;
}

export interface AskedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  query: () => Fields;
}

/** One request on its way in and back. */
export interface Crossing {
  method: string;
  url: string;
  /** What is asked for in place of the query of the address; null where it has none. */
  query: Fields | null;
  /** Whether a body has a meaning, and may be a form. */
  body: 'ignored' | 'json' | 'json or form';
  read: (body: unknown) => unknown;
  answer: (answer: TranslatedAnswer) => TranslatedAnswer;
  link: (link: string) => string;
  /** A piece of an answer that is sent as it is made. */
  chunk: (text: string) => string;
}

export interface TranslatedAnswer {
  status: number;
  body: unknown;
}

export interface TranslationDoor {
  /** Before the surfaces look at the address. */
  enter: RequestHandler;
  /** Before a body is read as JSON. */
  forms: RequestHandler;
  /** Once the body is read. */
  read: RequestHandler;
}

/** The handlers of a translation. Credentials, limits and the log see the request as any other of ours. */
export function translationDoor(translation: Translation): TranslationDoor {
  const underWay = new WeakMap<Request, Crossing>();
  return {
    enter: (request, response, next) => {
      const { method, url, headers } = request;
      const crossing = translation.enter({ method, url, headers, query: () => request.query });
      if (!crossing) return next();
      underWay.set(request, crossing);
      request.method = crossing.method;
      request.url = crossing.url;
      if (crossing.query)
        Object.defineProperty(request, 'query', { value: crossing.query, writable: true, configurable: true });
      if (crossing.body === 'ignored') forgetBody(request);
      answerThrough(response, crossing);
      return next();
    },
    forms: (request, response, next) => {
      const isForm = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === FORM;
      if (!isForm || underWay.get(request)?.body !== 'json or form' || !carriesBody(request)) return next();
      return void readForm(request, response, (error?: unknown) => {
        if (error) return next(formFault(error));
        request.headers['content-type'] = 'application/json';
        return next();
      });
    },
    read: (request, _response, next) => {
      const crossing = underWay.get(request);
      if (crossing && request.method !== 'GET' && request.method !== 'DELETE')
        request.body = crossing.read(request.body);
      next();
    },
  };
}

const FORM = 'application/x-www-form-urlencoded';
const readForm = express.urlencoded({ extended: true, limit: '1mb', parameterLimit: 1000 });

function formFault({ status }: { status?: number }): Error {
  if (status === 413) return new TooLargeError('svc_request_too_large', 'The form is larger than 1 MiB.');
  const field = { path: 'body', message: 'is not a form that can be read' };
  return new CodedInvalidError('rest_invalid_param', 'The body is not a form that can be read.', { errors: [field] });
}

/** Nothing further on is to see a body that has no meaning there. */
function forgetBody({ headers }: Request): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
}

/** Refusals come this way too: whatever is sent is translated where it is sent. */
function answerThrough(response: Response, crossing: Crossing): void {
  const json = response.json.bind(response);
  response.json = (body: unknown) => {
    const answer = crossing.answer({ status: response.statusCode, body });
    response.statusCode = answer.status;
    const link = response.get('Link');
    if (link !== undefined) response.set('Link', crossing.link(link));
    return json(answer.body);
  };
  const write = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  response.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(
      response.get('Content-Type')?.startsWith('application/json') ? translated(chunk, crossing) : chunk,
      ...rest,
    )) as Response['write'];
}

function translated(chunk: unknown, { chunk: translate }: Crossing): unknown {
  if (typeof chunk === 'string') return translate(chunk);
  if (!Buffer.isBuffer(chunk)) return chunk;
  const text = chunk.toString('utf8');
  const after = translate(text);
  return after === text ? chunk : after;
}
