import type { Outbound } from '../outbound/index.ts';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import { createCircuitBreaker } from './breaker.ts';
import { createCommentCalls } from './calls/comments.ts';
import { createConnectionCalls } from './calls/connection.ts';
import { createContentCalls } from './calls/content.ts';
import { createInventoryCalls } from './calls/inventory.ts';
import { createReportCalls } from './calls/report-data.ts';
import { createSyncCalls } from './calls/sync.ts';
import { createToolCalls } from './calls/tools.ts';
import { createUpdateCalls } from './calls/updates.ts';
import { createUserCalls } from './calls/users.ts';
import { createChannel } from './channel.ts';
import type { ChildSite, Endpoint } from './child-site.ts';
import { createSiteCookies } from './cookies.ts';
import { createEndpoints } from './endpoints.ts';
import type { ConnectorLimits } from './limits.ts';
import { Scheduler, type SchedulerStats } from './scheduler.ts';
import { createSigner, DEFAULT_SCHEME, type SignatureScheme } from './signing.ts';
import { DEADLINES, SiteCaller, type Deadlines } from './site-caller.ts';

export interface WireChildSiteOptions {
  outbound: Outbound;
  limits: () => ConnectorLimits;
  /** Runs before each call, so that limits and signature are those of this moment; nothing, unless given. */
  lookAtRules?: () => Promise<void>;
  /** How calls are signed; as every child takes it, unless given. */
  signature?: () => SignatureScheme;
  /** The dashboard version that is told to the child; it rules which registration it offers (protocol 1.3). */
  dashboardVersion: string;
  clock: Clock;
  logger: Logger;
  deadlines?: Partial<Deadlines>;
  /** Keeps on the record of a site at which of its addresses it answers. */
  rememberEndpoint?: (siteId: number, endpoint: Endpoint) => void;
}

export interface WireChildSite extends ChildSite {
  /** What the scheduler holds at this moment. */
  schedulerStats(): SchedulerStats;
  /** For other calls that must keep to the same limits, as checks of web servers do. */
  readonly scheduler: Scheduler;
}

/** Talks to real sites over the wire protocol of the child plugin. */
export function createChildSite(options: WireChildSiteOptions): WireChildSite {
  const { outbound, dashboardVersion, logger } = options;
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const cookies = createSiteCookies();
  const endpoints = createEndpoints(options.rememberEndpoint ?? (() => undefined));
  const signer = createSigner();
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
    revive: (siteId) => breaker.forget(siteId),
    forget(siteId) {
      for (const memory of [cookies, endpoints, breaker, signer]) memory.forget(siteId);
    },
  };
}
