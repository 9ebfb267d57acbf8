import express, { type Express } from 'express';
import '../http/express-locals.ts';
import { authentication } from '../http/authentication.ts';
import { cors, optionsHandler } from '../http/cors.ts';
import type { CredentialLimits } from '../http/credential-limits.ts';
import { basePathOf } from '../contract/index.ts';
import { deprecationMiddleware } from '../http/deprecations.ts';
import { documentsRouter, type Documents } from '../http/documents.ts';
import { renderErrors } from '../http/errors.ts';
import { bodyLimit, jsonBody, normalizeRequest, requestId } from '../http/request-middleware.ts';
import { NetworkLimit } from '../http/network-limit.ts';
import type { HttpMetrics } from '../http/metrics.ts';
import { MCP_PATH, mcpEndpoint, mcpOriginCheck, type ServeMcp } from '../http/mcp.ts';
import { mountSurface } from '../http/mount-surface.ts';
import { multipartBody } from '../http/multipart.ts';
import type { Surface, UsageCounter } from '../http/pipeline.ts';
import { packageDownloadsRouter, type OpenPackage } from '../http/package-downloads.ts';
import { healthRouter, type Readiness } from '../http/health-endpoints.ts';
import type { CredentialCheck, ModuleStatus } from '../http/ports.ts';
import { parseQuery } from '../http/query-parser.ts';
import { requireHost } from '../http/request-target.ts';
import { rateLimit } from '../http/rate-limit.ts';
import { requestLog } from '../http/request-log.ts';
import { prepareResponses } from '../http/response-methods.ts';
import { sharedReportsRouter, type SharedReports } from '../http/shared-reports.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { composeMiddleware, limitToBasePaths } from '../http/compose-middleware.ts';
import { translationMiddleware, type RequestTranslator } from '../http/request-translation.ts';
import type { ResponseChecks } from '../http/validator.ts';
import type { Clock } from '../shared/clock.ts';
import { NotFoundError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { IdempotencyStore } from '../shared/idempotency-store.ts';
import { v2ErrorDialect } from '../surfaces/v2/errors.ts';

export interface AppDeps {
  surfaces: Surface[];
  credentials: CredentialCheck;
  credentialLimits: CredentialLimits;
  usage: UsageCounter;
  modules: ModuleStatus;
  idempotencyStore: IdempotencyStore;
  documents: Documents;
  sharedReports: SharedReports;
  openPackage: OpenPackage;
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
  translation: RequestTranslator | null;
}

export interface App {
  app: Express;
  warmUp: () => Promise<void>;
}

export function createApp(deps: AppDeps): App {
  const { surfaces, logger, metrics, readiness, credentials, credentialLimits, mcp } = deps;
  const bases = surfaces.map(({ contract }) => basePathOf(contract));
  const failures = new NetworkLimit(deps.loginFailureLimit, deps.clock);
  const translation = deps.translation && translationMiddleware(deps.translation);
  const app = express();
  prepareResponses(app, securityHeaders());
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', deps.trustProxy);
  app.set('query parser', parseQuery);

  const mcpFront = limitToBasePaths([MCP_PATH], mcpOriginCheck([...(mcp ? [mcp.ownOrigin] : []), ...deps.corsOrigins]));
  app.use(
    composeMiddleware(
      requestId,
      requestLog(logger, metrics),
      requireHost,
      cors(deps.corsOrigins),
      mcpFront,
      ...(translation ? [translation.translateRequest] : []),
    ),
    limitToBasePaths(
      [...bases, MCP_PATH],
      composeMiddleware(
        optionsHandler(surfaces.map(({ contract }) => contract)),
        ...deprecationMiddleware(surfaces),
        authentication(credentials, credentialLimits, failures),
        rateLimit(deps.rateLimit, credentialLimits),
        multipartBody(
          surfaces.map(({ contract }) => contract),
          deps.modules,
        ),
        bodyLimit,
        ...(translation ? [translation.parseForm] : []),
        normalizeRequest,
        jsonBody,
        ...(translation ? [translation.translateBody] : []),
      ),
    ),
  );
  const { modules, idempotencyStore: answers, usage, responseChecks: responses } = deps;
  const mounting = { modules, answers, usage, logger, responses };
  const mounted = surfaces.map((surface) => mountSurface(app, surface, mounting));
  const abilities = mounted.find((_, index) => surfaces[index]?.dialect.ability);
  const v2 = mounted.find((_, index) => surfaces[index]?.dialect.ability === false);
  if (abilities && v2 && mcp)
    app.all(
      MCP_PATH,
      mcpEndpoint(mcp.serve, (...outer) => ({
        abilities: abilities.dispatchFor(...outer),
        v2: v2.dispatchFor(...outer),
      })),
    );
  // Express tries handlers in order, so these follow the surfaces, which are called far more often.
  app.use(
    healthRouter({ metrics, readiness, credentials, limits: credentialLimits, failures }),
    documentsRouter(deps.documents),
  );
  app.use(sharedReportsRouter(deps.sharedReports, deps.clock), packageDownloadsRouter(deps.openPackage));
  app.use((_request, _response, next) => next(new NotFoundError('rest_no_route', 'There is no such route.')));
  app.use(renderErrors(v2ErrorDialect, logger));
  return {
    app,
    warmUp: async () => {
      for (const { warmUp } of mounted) await warmUp();
    },
  };
}
