import express, { type Express } from 'express';
import qs from 'qs';
import '../http/locals.ts';
import { authentication } from '../http/authentication.ts';
import { cors, options } from '../http/browsers.ts';
import { baseOf } from '../contract/index.ts';
import { deprecations } from '../http/deprecations.ts';
import { documentsRouter, type Documents } from '../http/documents.ts';
import { renderErrors } from '../http/errors.ts';
import { bodyLimit, jsonBody, normalizeRequest, requestId } from '../http/front-door.ts';
import { LoginFailures } from '../http/login-failures.ts';
import type { HttpMetrics } from '../http/metrics.ts';
import { MCP_PATH, mcpEndpoint, mcpFrontDoor, type ServeMcp } from '../http/mcp.ts';
import { mountSurface } from '../http/mount-surface.ts';
import { multipartBody } from '../http/multipart.ts';
import type { Surface } from '../http/pipeline.ts';
import { operationsRouter, type Readiness } from '../http/operations.ts';
import type { CredentialCheck, ModuleSwitch } from '../http/ports.ts';
import { rateLimit } from '../http/rate-limit.ts';
import { requestLog } from '../http/request-log.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { inSequence, under } from '../http/sequence.ts';
import { translationDoor, type Translation } from '../http/translation.ts';
import type { ResponseChecks } from '../http/validator.ts';
import type { Clock } from '../shared/clock.ts';
import { NotFoundError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { AnswerStore } from '../shared/repeated-calls.ts';
import { routeErrors } from '../surfaces/v2/errors.ts';

export interface AppParts {
  surfaces: Surface[];
  credentials: CredentialCheck;
  modules: ModuleSwitch;
  answers: AnswerStore;
  documents: Documents;
  /** Tools for agents, made of the abilities. */
  mcp: { serve: ServeMcp; ownOrigin: string } | null;
  metrics: HttpMetrics;
  readiness: () => Promise<Readiness>;
  logger: Logger;
  clock: Clock;
  trustProxy: number | string[] | false;
  corsOrigins: string[];
  loginFailureLimit: number;
  rateLimit: number;
  responseChecks: ResponseChecks;
  /** Serves another layout of addresses; null where none is served. */
  translation: Translation | null;
}

export interface App {
  app: Express;
  /** Sets up what would otherwise be set up by the first request that needs it. */
  warmUp: () => Promise<void>;
}

/** The order in which a request is handled, on one screen. */
export function createApp(parts: AppParts): App {
  const { surfaces, logger, metrics, readiness, credentials, mcp } = parts;
  const bases = surfaces.map(({ contract }) => baseOf(contract));
  const failures = new LoginFailures(parts.loginFailureLimit, parts.clock);
  const door = parts.translation && translationDoor(parts.translation);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', parts.trustProxy);
  // The simple parser knows no brackets, and the extended one turns long lists into objects.
  app.set('query parser', (text: string) => qs.parse(text, { depth: 8, arrayLimit: 1000, parameterLimit: 1000 }));

  const mcpFront = under([MCP_PATH], mcpFrontDoor([...(mcp ? [mcp.ownOrigin] : []), ...parts.corsOrigins]));
  app.use(
    inSequence(
      requestId,
      requestLog(logger, metrics),
      securityHeaders(),
      cors(parts.corsOrigins),
      mcpFront,
      ...(door ? [door.enter] : []),
    ),
    under(
      [...bases, MCP_PATH],
      inSequence(
        options(surfaces.map(({ contract }) => contract)),
        ...deprecations(surfaces),
        authentication(credentials, failures),
        ...(parts.rateLimit > 0 ? [rateLimit(parts.rateLimit)] : []),
        bodyLimit,
        multipartBody(surfaces.map(({ contract }) => contract)),
        ...(door ? [door.forms] : []),
        normalizeRequest,
        jsonBody,
        ...(door ? [door.read] : []),
      ),
    ),
  );
  const mounting = { modules: parts.modules, answers: parts.answers, logger, responses: parts.responseChecks };
  const mounted = surfaces.map((surface) => mountSurface(app, surface, mounting));
  const abilities = mounted.find((_, index) => surfaces[index]?.dialect.ability);
  if (abilities && mcp)
    app.all(
      MCP_PATH,
      mcpEndpoint(mcp.serve, (...outer) => abilities.dispatchFor(...outer)),
    );
  // After the surfaces, which are called so much more often.
  app.use(operationsRouter({ metrics, readiness, credentials, failures }), documentsRouter(parts.documents));
  app.use((_request, _response, next) => next(new NotFoundError('rest_no_route', 'No such route.')));
  app.use(renderErrors(routeErrors, logger));
  return {
    app,
    warmUp: async () => {
      for (const { warmUp } of mounted) await warmUp();
    },
  };
}
