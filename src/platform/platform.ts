import type { Knex } from 'knex';
import type { Config } from './config.ts';
import { Lighthouse, Printer } from '../browser/index.ts';
import { createBaseServices, type BaseServices, type BaseServiceOverrides } from './base-services.ts';
import {
  createChildSite,
  createKeyPairSource,
  type ConnectorLimits,
  type Deadlines,
  type SignatureScheme,
  type WireChildSite,
} from '../connector/index.ts';
import type { Endpoint, KeyPairSource } from '../connector/child-site.ts';
import { FileIntegrity } from '../db/file-integrity.ts';
import { createOutbound, isPublicHost, Smtp, type Outbound, type OutboundOptions } from '../outbound/index.ts';
import type { Metric } from './part.ts';
import { Queue } from '../queue/index.ts';
import { SECOND } from '../shared/clock.ts';
import { StoppingError } from '../shared/errors.ts';

/** Dashboard version that is sent to child plugins. They choose their features by it. */
const DASHBOARD_VERSION = '6.1.2';

export interface Overrides extends BaseServiceOverrides {
  keyPairs?: KeyPairSource;
  /**
   * Shorter deadlines, so that a hanging site fails fast. `checkMs` is for checks of web servers, `fanOutMs` for a
   * whole call across sites, `lookAgainMs` for the checks after a call that broke, `pageAgainMs` for the second check
   * of a home page that an update may have broken, `confirmAfterMs` for the pause before a failed uptime check is
   * confirmed, `feedMs` for the download of a feed, `auditMs` for the audit of a page, `lookupMs` for the query of a
   * domain registry, and `packageMs` for the download of a package.
   */
  deadlines?: Partial<
    Deadlines & {
      checkMs: number;
      fanOutMs: number;
      lookAgainMs: readonly number[];
      pageAgainMs: number;
      confirmAfterMs: number;
      feedMs: number;
      auditMs: number;
      lookupMs: number;
      packageMs: number;
    }
  >;
  /** Base URLs of the APIs of backup providers. Default: the documented ones. */
  providerBases?: Readonly<Record<string, string>>;
  /** Interval between two checks for due schedules. Null leaves the checks to the test. */
  tickMs?: number | null;
  allowHttpGuards?: boolean;
  /** Folder with compiled browser processes, which start faster than the sources. */
  browserProcesses?: string;
  /** Host names and certificate authorities that exist only in the test. */
  outbound?: Omit<OutboundOptions, 'allowedNetworks'>;
}

export interface SiteCallSettings {
  limits: ConnectorLimits;
  signature: SignatureScheme;
  ipv4Only: boolean;
}

type EndpointListener = (siteId: number, endpoint: Endpoint) => void;

export interface Platform extends BaseServices {
  config: Config;
  knex: Knex;
  outbound: Outbound;
  smtp: Smtp | null;
  /** Start of the links that are sent to clients. Null if `SITEFLEET_PUBLIC_URL` is not set or not public. */
  linkBase: string | null;
  lighthouse: Lighthouse;
  printer: Printer;
  child: WireChildSite;
  keyPairs: KeyPairSource;
  queue: Queue;
  /** Checks the file of the embedded database for damage. Null with a database server, which checks its own pages. */
  integrity: FileIntegrity | null;
  deadlines: NonNullable<Overrides['deadlines']>;
  providerBases: Readonly<Record<string, string>>;
  tickMs: number | null;
  allowHttpGuards: boolean;
  metrics: readonly Metric[];
  /** Calls read their settings from `rules`. `look` runs before calls and loads settings changed by another process. */
  setCallSettingsSource: (rules: () => SiteCallSettings, look: (revision?: number) => Promise<void>) => void;
  /**
   * Applies settings that another process has just changed. `revision` is the settings revision, if it was just read.
   */
  refreshCallSettings: (revision?: number) => Promise<void>;
  onEndpointFound: (listener: EndpointListener) => void;
}

export async function createPlatform(config: Config, overrides: Overrides): Promise<Platform> {
  const base = await createBaseServices(config, overrides);
  const { database, clock, logger } = base;
  const { knex } = database;
  const { deadlines = {}, keyPairs = createKeyPairSource(2), tickMs = SECOND, providerBases = {} } = overrides;
  let rules = (): SiteCallSettings => {
    throw new Error('No part controls the calls to sites.');
  };
  let look: (revision?: number) => Promise<void> = () => Promise.resolve();
  const listeners: EndpointListener[] = [];
  const outbound = createOutbound({
    ...overrides.outbound,
    allowedNetworks: config.allowedNetworks,
    ipv4Only: () => rules().ipv4Only,
  });
  const child = createChildSite({
    outbound,
    lookAtRules: () => look(),
    limits: () => rules().limits,
    signature: () => rules().signature,
    dashboardVersion: DASHBOARD_VERSION,
    clock,
    logger,
    rememberEndpoint: (...endpointFacts) => listeners.forEach((listener) => listener(...endpointFacts)),
    deadlines,
  });
  const { chromePath, chromeSandbox: sandbox, systemPath } = config.audits;
  const browser = { chromePath, sandbox, systemPath, processes: overrides.browserProcesses };
  const printer = new Printer(browser);
  const integrity = config.database.dialect === 'sqlite' ? new FileIntegrity(config.database.file, logger) : null;
  if (integrity) database.onDamage((error) => integrity.reportDamage(error));
  const queue = new Queue({ knex, clock, logger, leaseMs: config.leaseMs });
  return {
    ...base,
    config,
    knex,
    outbound,
    smtp: config.smtp && new Smtp(config.smtp),
    linkBase: config.isPublicUrlSet && isPublicHost(new URL(config.publicUrl).hostname) ? config.publicUrl : null,
    lighthouse: new Lighthouse({
      ...browser,
      allowedNetworks: config.allowedNetworks,
      ipv4Only: () => rules().ipv4Only,
    }),
    printer,
    child,
    keyPairs,
    queue,
    integrity,
    deadlines,
    tickMs,
    allowHttpGuards: overrides.allowHttpGuards ?? false,
    providerBases,
    metrics: [...siteCallMetrics(child), ...(integrity ? [damageMetric(integrity)] : [])],
    onEndpointFound: (listener) => listeners.push(listener),
    setCallSettingsSource: (read, lookFirst) => {
      rules = read;
      look = lookFirst;
    },
    refreshCallSettings: (revision) => look(revision),
    close: async () => {
      await printer.close(new StoppingError('svc_stopping', 'The service is stopping.'));
      await outbound.close();
      await integrity?.stop();
      await base.close();
    },
  };
}

const siteCallMetrics = ({ scheduler }: WireChildSite): Metric[] => [
  { name: 'sitefleet_calls_running', help: 'Number of running calls to sites.', read: () => scheduler.stats().running },
  {
    name: 'sitefleet_calls_waiting',
    help: 'Number of calls to sites that wait in the queue.',
    read: () => scheduler.stats().waiting,
  },
  {
    name: 'sitefleet_sites_broken',
    help: 'Number of sites with an open circuit breaker, which are not called for a while.',
    read: () => scheduler.stats().broken,
  },
];

const damageMetric = (integrity: FileIntegrity): Metric => ({
  name: 'sitefleet_database_damaged',
  help: '1 if the embedded database file is damaged, otherwise 0.',
  read: () => Number(integrity.state === 'damaged'),
});
