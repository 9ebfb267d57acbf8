import type { IncomingHttpHeaders } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { CodedInvalidError, TooLargeError } from '../shared/errors.ts';
import { carriesBody } from './request-middleware.ts';

type RequestQueryFields = Record<string, unknown>;

/** Serves the URLs of another API, that of MainWP: converts a request on arrival, and its response back. */
export interface RequestTranslator {
  translate: (request: UntranslatedRequest) => RequestTranslation | null;
}

export interface UntranslatedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  query: () => RequestQueryFields;
}

export interface RequestTranslation {
  method: string;
  url: string;
  /** Replaces the query of the URL, unless it is null. */
  query: RequestQueryFields | null;
  body: 'ignored' | 'json' | 'json or form';
  translateBody: (body: unknown) => unknown;
  translateResponse: (answer: TranslatedResponse) => TranslatedResponse;
  translateLink: (link: string) => string;
  translateChunk: (text: string) => string;
}

export interface TranslatedResponse {
  status: number;
  body: unknown;
}

/**
 * `translateRequest` must run before the surfaces match the URL, `parseForm` before the JSON parser, and
 * `translateBody` after the body parsers.
 */
export interface TranslationMiddleware {
  translateRequest: RequestHandler;
  parseForm: RequestHandler;
  translateBody: RequestHandler;
}

/** Authentication and limits see the translated request. The log shows the method and path that the caller sent. */
export function translationMiddleware(translation: RequestTranslator): TranslationMiddleware {
  const underWay = new WeakMap<Request, RequestTranslation>();
  return {
    translateRequest: (request, response, next) => {
      const { method, url, headers } = request;
      const requestTranslation = translation.translate({ method, url, headers, query: () => request.query });
      if (!requestTranslation) return next();
      underWay.set(request, requestTranslation);
      request.method = requestTranslation.method;
      request.url = requestTranslation.url;
      if (requestTranslation.query)
        Object.defineProperty(request, 'query', {
          value: requestTranslation.query,
          writable: true,
          configurable: true,
        });
      if (requestTranslation.body === 'ignored') deleteBodyHeaders(request);
      interceptResponse(response, requestTranslation);
      return next();
    },
    parseForm: (request, response, next) => {
      const isForm = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === FORM;
      if (!isForm || underWay.get(request)?.body !== 'json or form' || !carriesBody(request)) return next();
      return void readForm(request, response, (error?: unknown) => {
        if (error) return next(formFault(error));
        request.headers['content-type'] = 'application/json';
        return next();
      });
    },
    translateBody: (request, _response, next) => {
      const requestTranslation = underWay.get(request);
      if (requestTranslation && request.method !== 'GET' && request.method !== 'DELETE')
        request.body = requestTranslation.translateBody(request.body);
      next();
    },
  };
}

const FORM = 'application/x-www-form-urlencoded';
const readForm = express.urlencoded({ extended: true, limit: '1mb', parameterLimit: 1000 });

function formFault({ status }: { status?: number }): Error {
  if (status === 413) return new TooLargeError('svc_request_too_large', 'The form is larger than 1 MiB.');
  const field = { path: 'body', message: 'is not a valid form' };
  return new CodedInvalidError('rest_invalid_param', 'The body is not a valid form.', { errors: [field] });
}

function deleteBodyHeaders({ headers }: Request): void {
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
}

/** Translates error responses too, because all JSON responses pass here. */
function interceptResponse(response: Response, requestTranslation: RequestTranslation): void {
  const json = response.json.bind(response);
  response.json = (body: unknown) => {
    const answer = requestTranslation.translateResponse({ status: response.statusCode, body });
    response.statusCode = answer.status;
    const link = response.get('Link');
    if (link !== undefined) response.set('Link', requestTranslation.translateLink(link));
    return json(answer.body);
  };
  const write = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  response.write = ((chunk: unknown, ...rest: unknown[]) =>
    write(
      response.get('Content-Type')?.startsWith('application/json')
        ? translateResponseChunk(chunk, requestTranslation)
        : chunk,
      ...rest,
    )) as Response['write'];
}

function translateResponseChunk(chunk: unknown, { translateChunk: translate }: RequestTranslation): unknown {
  if (typeof chunk === 'string') return translate(chunk);
  if (!Buffer.isBuffer(chunk)) return chunk;
  const text = chunk.toString('utf8');
  const after = translate(text);
  return after === text ? chunk : after;
}
