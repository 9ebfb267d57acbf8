import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Response } from 'express';
import { InternalError } from '../shared/errors.ts';
import { basePathOf } from '../contract/index.ts';
import { ignoreDisconnect } from './client-disconnect.ts';
import { renderErrors } from './errors.ts';
import type { HandlerResponse } from './operation-types.ts';
import { Pipeline, type PipelineOptions, type Surface } from './pipeline.ts';

export function mountSurface(app: Express, surface: Surface, options: PipelineOptions): Pipeline {
  const base = basePathOf(surface.contract);
  const pipeline = new Pipeline(surface, options);
  app.use((request, response, next) => {
    const { url } = request;
    if (!url.startsWith(base) || !'/?'.includes(url.charAt(base.length))) return next();
    // The contract has the path `/`, but the published URL of it ends without a slash.
    if (url.charAt(base.length) !== '/') request.url = `${base}/${url.slice(base.length)}`;
    pipeline
      .run(request, response, next)
      .then((answer) => sendHandlerResponse(response, answer))
      .catch((error: unknown) => next(error ?? new Error('Nothing was thrown.')));
  });
  app.use(base, renderErrors(surface.dialect, options.logger));
  return pipeline;
}

async function sendHandlerResponse(
  response: Response,
  { status, headers, body, contentType }: HandlerResponse,
): Promise<void> {
  response.status(status);
  if (headers) {
    const { Link: links, ...others } = headers;
    response.set(others);
    // Deprecated operations have set `Link` already, so append.
    if (links !== undefined) response.append('Link', links);
  }
  if (body === undefined) response.end();
  else if (!(body instanceof Readable)) response.json(body);
  else {
    if (!contentType) throw new InternalError('svc_internal_error', 'A stream needs a content type.');
    response.type(contentType);
    await pipeline(body, response).catch(ignoreDisconnect);
  }
}
