import { createApp } from './app.ts';
import type { FileIntegrity } from '../db/file-integrity.ts';
import { DatabaseHealth } from '../db/database-health.ts';
import { HttpMetrics } from '../http/metrics.ts';
import type { Readiness } from '../http/health-endpoints.ts';
import type { Parts } from '../platform/part.ts';
import type { Platform } from '../platform/platform.ts';
import type { Services } from './services.ts';
import { abilitiesSurface } from '../surfaces/abilities/index.ts';
import { createCompatTranslator } from '../surfaces/compat/index.ts';
import { createDocuments } from '../surfaces/documents.ts';
import { mcpSurface } from '../surfaces/mcp/index.ts';
import { PAGE_POLICY } from '../surfaces/v2/pro-reports/report-files.ts';
import { v2Surface } from '../surfaces/v2/index.ts';

export function createServiceApp(platform: Platform, parts: Parts, services: Services, isDraining: () => boolean) {
  const { config, logger, clock, knex, sealing, integrity } = platform;
  const { modules } = services.modules;
  const { answers } = services.idempotency;
  const base = `${config.publicUrl}/api/v2`;
  const links = { job: (id: string) => `${base}/jobs/${id}` };
  const metrics = new HttpMetrics();
  for (const { name, help, kind = 'gauge', read } of [...platform.metrics, ...parts.all('metrics')])
    metrics[kind](name, help, read);
  const health = new DatabaseHealth(knex, clock);
  const abilities = abilitiesSurface(services, { base: `${config.publicUrl}/abilities/v1`, links });
  const v2 = v2Surface(services, { base });
  const contracts = { abilities: abilities.contract, v2: v2.contract };
  return createApp({
    surfaces: [abilities, v2],
    credentials: services.access.access,
    credentialLimits: services.access.access,
    usage: services.access.keyUsage,
    modules,
    idempotencyStore: answers,
    documents: createDocuments(config.publicUrl),
    openPackage: (token, options) => services.packages.delivery.open(token, options),
    sharedReports: {
      open: async (token, options) =>
        (await modules.isActive('pro-reports')) ? services.reportSchedules.links.open(token, options) : null,
      policy: PAGE_POLICY,
    },
    mcp: {
      ownOrigin: new URL(config.publicUrl).origin,
      serve: mcpSurface({
        modules,
        idempotencyStore: answers,
        logger,
        clock,
        publicUrl: config.publicUrl,
        sign: (text) => sealing.hash(text),
        waitMs: config.inlineDeadlineMs,
        outputLimit: config.mcpOutputLimit,
        scopeKey: (scope) => services.sites.list.scopeKey(scope),
        isStopping: isDraining,
      }),
    },
    metrics,
    readiness: () => readiness(health, integrity, isDraining()),
    logger,
    clock,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    loginFailureLimit: config.loginFailureLimit,
    rateLimit: config.rateLimit,
    responseChecks: config.responseChecks,
    translation: config.compat ? createCompatTranslator({ contracts, publicUrl: config.publicUrl, clock }) : null,
  });
}

async function readiness(
  health: DatabaseHealth,
  integrity: FileIntegrity | null,
  draining: boolean,
): Promise<Readiness> {
  const database = await health.reason();
  const reasons = {
    ...(draining && { process: 'The service is stopping.' }),
    ...(database !== null && { database }),
    ...(integrity?.state === 'damaged' && {
      database_file: 'The database file is damaged. Stop the service and restore a backup.',
    }),
  };
  return { ready: Object.keys(reasons).length === 0, reasons, ...(integrity && { integrity: integrity.state }) };
}
