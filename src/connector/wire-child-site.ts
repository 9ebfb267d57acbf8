import type { Outbound } from '../outbound/index.ts';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { createCircuitBreaker } from './breaker.ts';
import { createCommentCalls } from './calls/comments.ts';
import { createConnectionCalls } from './calls/connection.ts';
import { createContentCalls } from './calls/content.ts';
import { createGuardFileCalls } from './calls/guard-files.ts';
import { createInventoryCalls } from './calls/inventory.ts';
import { createReportCalls } from './calls/report-data.ts';
import { createSyncCalls } from './calls/sync.ts';
import { createToolCalls } from './calls/tools.ts';
import { createUpdateCalls } from './calls/updates.ts';
import { createUserCalls } from './calls/users.ts';
import { createChannel } from './channel.ts';
import type { ChildSite, Endpoint } from './child-site.ts';
import { createSiteCookies } from './cookies.ts';
import { createEndpointSelector } from './endpoint-selector.ts';
import type { ConnectorLimits } from './connector-limits.ts';
import { Scheduler, type SchedulerStats } from './scheduler.ts';
import { createSiteKeySigner, DEFAULT_SCHEME, type SignatureScheme } from './signing.ts';
import { DEADLINES, SiteCaller, type Deadlines } from './site-caller.ts';

export interface WireChildSiteOptions {
  outbound: Outbound;
  limits: () => ConnectorLimits;
  /** Runs before each call, so that the limits and the signature scheme are current. Default: does nothing. */
  lookAtRules?: () => Promise<void>;
  signature?: () => SignatureScheme;
  /** Dashboard version. The child selects the registration methods that it offers by this (protocol 1.3). */
  dashboardVersion: string;
  clock: Clock;
  logger: Logger;
  deadlines?: Partial<Deadlines>;
  rememberEndpoint?: (siteId: number, endpoint: Endpoint) => void;
}

export interface WireChildSite extends ChildSite {
  schedulerStats(): SchedulerStats;
  /** Scheduler of all calls, for other requests that must respect the same limits, such as checks of web servers. */
  readonly scheduler: Scheduler;
}

export function createChildSite(options: WireChildSiteOptions): WireChildSite {
  const { outbound, dashboardVersion, logger } = options;
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const cookies = createSiteCookies();
  const endpoints = createEndpointSelector(options.rememberEndpoint ?? (() => undefined));
  const signer = createSiteKeySigner();
  const breaker = createCircuitBreaker(options.clock);
  const scheduler = new Scheduler({ limits: options.limits, breaker });
  const { connectMs: connectTimeoutMs } = deadlines;
  const channel = createChannel({ outbound, cookies, endpoints, dashboardVersion, connectTimeoutMs });
  const caller = new SiteCaller({
    outbound,
    scheduler,
    breaker,
    channel,
    signer,
    lookAtRules: options.lookAtRules ?? (() => Promise.resolve()),
    scheme: options.signature ?? (() => DEFAULT_SCHEME),
    deadlines,
    dashboardVersion,
    logger,
  });

  return {
    scheduler,
    schedulerStats: () => scheduler.stats(),
    ...createConnectionCalls(caller, cookies),
    ...createSyncCalls(caller),
    ...createInventoryCalls(caller),
    ...createUpdateCalls(caller),
    ...createContentCalls(caller),
    ...createCommentCalls(caller),
    ...createUserCalls(caller),
    ...createReportCalls(caller),
    ...createToolCalls(caller, cookies),
    ...createGuardFileCalls(caller),
    resetBreaker: (siteId) => breaker.forget(siteId),
    forget(siteId) {
      for (const memory of [cookies, endpoints, breaker, signer]) memory.forget(siteId);
    },
  };
}
