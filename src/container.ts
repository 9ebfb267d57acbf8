import type { Express } from 'express';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createCore, type Core, type CoreOverrides } from './core.ts';
import {
  createChildSite,
  createKeyPairSource,
  type ConnectorLimits,
  type Deadlines,
  type Scheduler,
} from './connector/index.ts';
import type { KeyPairSource } from './connector/child-site.ts';
import { DatabaseHealth } from './db/health.ts';
import { ChangeReadModel, ChildLog } from './domains/changes/index.ts';
import { ChildUserService, FleetUsers, UserImport, userJobs } from './domains/child-users/index.ts';
import { ClientFieldService, ClientService } from './domains/clients/index.ts';
import { ContentService } from './domains/content/index.ts';
import { CommentService } from './domains/comments/index.ts';
import { CostReadModel, CostService, CostTargetRepository } from './domains/costs/index.ts';
import {
  abandonedSection,
  InventoryReadModel,
  InventoryService,
  pluginsSection,
  themesSection,
} from './domains/inventory/index.ts';
import { FanOut, SiteSelector } from './domains/fleet-reads/index.ts';
import { IdempotentCalls } from './domains/idempotency/index.ts';
import { FleetRunner, JobReadModel, LaterLooks, VERIFY } from './domains/jobs/index.ts';
import { checkJob, sslProbe, UptimeCheck, type Limit } from './domains/uptime/index.ts';
import { SecurityReadModel, securitySection } from './domains/security/index.ts';
import type { Settings } from './domains/settings/index.ts';
import {
  coreSection,
  KeyExchange,
  Reconnection,
  Registration,
  sealCredentials,
  SiteCalls,
  siteJobs,
  SiteLinks,
  SiteList,
  SiteRecords,
  SiteReferences,
  SiteService,
  SiteTargets,
  SyncService,
} from './domains/sites/index.ts';
import { TagService } from './domains/tags/index.ts';
import {
  FleetUpdates,
  IgnoredUpdates,
  IgnoredUpdatesReadModel,
  UpdateTurns,
  SiteUpdater,
  updateJob,
  UpdateReadModel,
  updatesSection,
} from './domains/updates/index.ts';
import { HttpMetrics } from './http/metrics.ts';
import type { Readiness } from './http/operations.ts';
import { createOutbound, type Outbound, type OutboundOptions } from './outbound/index.ts';
import { Queue } from './queue/index.ts';
import type { Services } from './services.ts';
import { abilitiesSurface } from './surfaces/abilities/index.ts';
import { createDocuments } from './surfaces/documents.ts';
import { v2Surface } from './surfaces/v2/index.ts';

/** The version of the protocol's other end that child plugins are told; it rules what they offer. */
const SPOKEN_VERSION = '6.1.2';

/** Parts that a test may hold in its own hand. */
export interface Overrides extends CoreOverrides {
  keyPairs?: KeyPairSource;
  /**
   * Shorter ones than a fleet needs, so that a hanging site is given up soon; `checkMs` is for checks of web servers,
   * `fanOutMs` for a whole call across sites, `lookAgainMs` for the looks after a call that broke.
   */
  deadlines?: Partial<Deadlines & { checkMs: number; fanOutMs: number; lookAgainMs: readonly number[] }>;
  /** Names and certificate authorities that exist in the test alone. */
  outbound?: Omit<OutboundOptions, 'allowedNetworks'>;
}

export interface Container extends Core {
  sites: SiteService;
  clients: ClientService;
  tags: TagService;
  costs: CostService;
  queue: Queue;
  app: Express;
  /** Spares the first requests what can be set up before them. */
  warmUp: () => Promise<void>;
  /** Begins to work on jobs; after the migrations. */
  start(): Promise<void>;
  /** Gives back what has not begun and waits for what has, up to `graceMs`. */
  drain(graceMs: number): Promise<void>;
}

/** The one place where the parts of the service are put together. */
export async function createContainer(config: Config, overrides: Overrides = {}): Promise<Container> {
  const core = await createCore(config, overrides);
  const { database, sealing, clock, logger, changeLog, access, settings, modules } = core;
  const { knex } = database;
  const advanced = (): Settings<'advanced'> => settings.current('advanced');

  const outbound = createOutbound({ ...overrides.outbound, allowedNetworks: config.allowedNetworks });
  const child = createChildSite({
    outbound,
    limits: () => limitsOf(advanced()),
    dashboardVersion: SPOKEN_VERSION,
    clock,
    logger,
    rememberEndpoint: (siteId, endpoint) => void links.rememberEndpoint(siteId, endpoint, logger),
    ...(overrides.deadlines && { deadlines: overrides.deadlines }),
  });
  const { scheduler } = child;
  const keyPairs = overrides.keyPairs ?? createKeyPairSource(2);

  const links = new SiteLinks({
    knex,
    sealing,
    child,
    clock,
    verifyByDefault: () => advanced().svc_ssl_verify_certificate === 1,
  });
  const abandonedAfterDays = (): number => advanced().numberdays_outdate_plugin_theme;
  const sync = new SyncService({
    knex,
    clock,
    child,
    sections: [coreSection, pluginsSection, themesSection, updatesSection, abandonedSection, securitySection],
    log: new ChildLog(clock),
    probeSsl: sslProbe(outbound),
    abandonedAfterDays,
  });
  const calls = new SiteCalls({ knex, clock, links, changes: changeLog });
  const server = (): string => `${config.publicUrl}/wp-admin/`;
  const exchange = new KeyExchange({ knex, clock, child, keyPairs, links, sync, changes: changeLog });
  const registration = new Registration({ knex, clock, child, links, exchange, server });
  const reconnection = new Reconnection({ knex, clock, child, links, exchange, changes: changeLog });
  const references = new SiteReferences(knex);
  const list = new SiteList(knex);
  const targets = new SiteTargets(references, list);
  const sites = new SiteService({
    knex,
    clock,
    logger,
    child,
    links,
    calls,
    sync,
    registration,
    reconnection,
    references,
    changes: changeLog,
    leavings: [(trx, siteId) => new CostTargetRepository(trx).drop('site', siteId)],
  });
  const queue = new Queue({ knex, clock, logger });
  const jobs = new JobReadModel(knex);
  const runner = new FleetRunner({ knex, queue, jobs, inlineDeadlineMs: config.inlineDeadlineMs });
  const looks = new LaterLooks({ runner, clock, waitsMs: overrides.deadlines?.lookAgainMs });
  const inventory = new InventoryService({ knex, child, calls, sync, changeLog, looks });
  const turns = new UpdateTurns({ knex, clock });
  const uptime = new UptimeCheck({
    outbound,
    links,
    limit: checkLimit(scheduler, outbound),
    onReachable: (siteId) => child.revive(siteId),
    deadlineMs: overrides.deadlines?.checkMs,
  });

  const visit = async (siteId: number): Promise<number> => (await uptime.check(siteId)).httpStatus;
  const updater = new SiteUpdater({ knex, clock, child, calls, sync, changeLog, turns, looks, visit });

  const childUsers = new ChildUserService({ knex, child, calls, changeLog });

  for (const [kind, handler] of Object.entries({ ...siteJobs(sites, sealing), ...userJobs(childUsers, sealing) }))
    queue.handle(kind, handler);
  queue.handle('check', checkJob(uptime));
  queue.handle(VERIFY, looks.job);
  queue.handle('update', updateJob(updater, looks));
  const records = new SiteRecords(knex);
  const updateReadModel = new UpdateReadModel(knex);
  const inventoryReadModel = new InventoryReadModel(knex, clock, abandonedAfterDays);
  const changes = new ChangeReadModel(knex);
  const security = new SecurityReadModel(knex);

  const clients = new ClientService({ knex, clock, changeLog });
  const clientFields = new ClientFieldService({ knex, clock, changeLog });
  const tags = new TagService({ knex, clock, changeLog });
  const costs = new CostService({ knex, clock, changeLog });
  const siteCosts = new CostReadModel(knex, clock);
  const selector = new SiteSelector({ references, list, clients, tags });
  const fanOut = new FanOut({ calls, deadlineMs: overrides.deadlines?.fanOutMs });

  const content = new ContentService({ knex, clock, child, calls, references, selector, fanOut, changeLog });
  const fleetUsers = new FleetUsers({ sealing, selector, runner });
  const services: Services = {
    access: { access },
    changes: { changes },
    childUsers: { childUsers, fleetUsers, userImport: new UserImport({ users: fleetUsers, selector }) },
    clients: { clients, clientFields },
    comments: { comments: new CommentService({ knex, child, calls, changeLog }) },
    content: { content },
    costs: { costs, siteCosts },
    fleetReads: { selector, fanOut },
    inventory: { inventory, inventoryReadModel },
    jobs: { jobs, runner, looks },
    modules: { modules },
    security: { security },
    settings: { settings },
    sites: {
      sites,
      references,
      list,
      records,
      targets,
      calls,
      links,
      sync,
      reconnectInput: sealCredentials.bind(null, sealing),
    },
    tags: { tags },
    updates: {
      updater,
      updateReadModel,
      fleetUpdates: new FleetUpdates({ references, records, updates: updateReadModel, runner }),
      ignoredUpdates: new IgnoredUpdates({ knex, clock, changeLog }),
      ignoredUpdatesReadModel: new IgnoredUpdatesReadModel(knex),
    },
    uptime: { uptime },
  };

  const routesBase = `${config.publicUrl}/api/v2`;
  const abilities = abilitiesSurface(services, {
    base: `${config.publicUrl}/abilities/v1`,
    links: { job: (id) => `${routesBase}/jobs/${id}` },
  });
  const v2 = v2Surface(services, { base: routesBase });

  const answers = new IdempotentCalls({ knex, sealing, clock, logger });
  const metrics = new HttpMetrics();
  metrics.gauge('sitefleet_queue_running', 'Items of jobs under way in this process.', () => queue.stats().running);
  metrics.gauge(
    'sitefleet_queue_ready',
    'Items of jobs that this process holds and has not begun.',
    () => queue.stats().ready,
  );
  metrics.gauge('sitefleet_calls_running', 'Calls to sites under way.', () => scheduler.stats().running);
  metrics.gauge('sitefleet_calls_waiting', 'Calls to sites that wait for their turn.', () => scheduler.stats().waiting);
  metrics.gauge('sitefleet_sites_broken', 'Sites that are not called for a while.', () => scheduler.stats().broken);

  let draining = false;
  const health = new DatabaseHealth(knex, clock);
  const { app, warmUp } = createApp({
    surfaces: [abilities, v2],
    credentials: access,
    modules,
    answers,
    documents: createDocuments(config.publicUrl),
    metrics,
    readiness: () => readiness(health, draining),
    logger,
    clock,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    loginFailureLimit: config.loginFailureLimit,
    rateLimit: config.rateLimit,
    responseChecks: config.responseChecks,
  });

  return {
    ...core,
    sites,
    clients,
    tags,
    costs,
    queue,
    app,
    warmUp,
    start: async () => {
      await settings.start();
      const alone = database.dialect === 'sqlite';
      if (alone) await turns.takeOver();
      await queue.start({ alone });
    },
    drain: async (graceMs) => {
      draining = true;
      await queue.stop(graceMs);
    },
    close: async () => {
      draining = true;
      await queue.stop(0);
      answers.close();
      await outbound.close();
      await core.close();
    },
  };
}

/** Checks wait their turn with all other calls to the same address. */
function checkLimit(scheduler: Scheduler, outbound: Outbound): Limit {
  return async (site, work) => {
    // A name that leads nowhere is for the check itself to find.
    const ipKey = await outbound.resolve(site.url).then(
      ({ address }) => address,
      () => null,
    );
    return ipKey === null ? work() : scheduler.schedule({ siteId: null, ipKey, kind: 'check', run: work });
  };
}

async function readiness(health: DatabaseHealth, draining: boolean): Promise<Readiness> {
  const database = await health.reason();
  const reasons = {
    ...(draining && { process: 'It is about to stop.' }),
    ...(database !== null && { database }),
  };
  return { ready: Object.keys(reasons).length === 0, reasons };
}

function limitsOf(settings: Settings<'advanced'>): ConnectorLimits {
  return {
    maximumRequests: settings.svc_maximum_requests,
    minimumDelayMs: settings.svc_minimum_delay,
    maximumIpRequests: settings.svc_maximum_ip_requests,
    minimumIpDelayMs: settings.svc_minimum_ip_delay,
    maximumSyncRequests: settings.svc_maximum_sync_requests,
    maximumInstallUpdateRequests: settings.svc_maximum_install_update_requests,
    maximumUptimeMonitoringRequests: settings.svc_maximum_uptime_monitoring_requests,
  };
}
