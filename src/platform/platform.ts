import type { Knex } from 'knex';
import type { Config } from './config.ts';
import { Lighthouse, Printer } from '../browser/index.ts';
import { createBase, type Base, type BaseOverrides } from './base.ts';
import {
  createChildSite,
  createKeyPairSource,
  type ConnectorLimits,
  type Deadlines,
  type SignatureScheme,
  type WireChildSite,
} from '../connector/index.ts';
import type { Endpoint, KeyPairSource } from '../connector/child-site.ts';
import { createOutbound, Smtp, type Outbound, type OutboundOptions } from '../outbound/index.ts';
import type { Metric } from './part.ts';
import { Queue } from '../queue/index.ts';
import { SECOND } from '../shared/clock.ts';
import { StoppingError } from '../shared/errors.ts';

/** The version of the protocol's other end that child plugins are told; it rules what they offer. */
const DASHBOARD_VERSION = '6.1.2';

/** What a test may hold in its own hand. */
export interface Overrides extends BaseOverrides {
  keyPairs?: KeyPairSource;
  /**
   * Shorter ones than a fleet needs, so that a hanging site is given up soon; `checkMs` is for checks of web servers,
   * `fanOutMs` for a whole call across sites, `lookAgainMs` for the looks after a call that broke, `pageAgainMs`
   * for the second look at a home page that an update may have broken, `confirmAfterMs` for the pause before a lost
   * check is confirmed, `feedMs` for the download of a feed, `auditMs` for the audit of a page, `lookupMs` for the
   * question to a registry of domains.
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
    }
  >;
  /** Where the APIs of backup providers are, by provider; as they document it, unless given. */
  providerBases?: Readonly<Record<string, string>>;
  /** How often schedules are looked at; null leaves it to the test. */
  tickMs?: number | null;
  /** Where the processes around a browser lie built, which start sooner than from their sources. */
  browserProcesses?: string;
  /** Names and certificate authorities that exist in the test alone. */
  outbound?: Omit<OutboundOptions, 'allowedNetworks'>;
}

/** What settings say of calls to sites. */
export interface CallSettings {
  limits: ConnectorLimits;
  signature: SignatureScheme;
  /** No address of the sixth version is dialled. */
  ipv4Only: boolean;
}

type EndpointListener = (siteId: number, endpoint: Endpoint) => void;

/** What every part stands on. */
export interface Platform extends Base {
  config: Config;
  knex: Knex;
  outbound: Outbound;
  /** The mail server of the operator; null where none is named. */
  smtp: Smtp | null;
  /** Audits pages here, with a browser of the operator's. */
  lighthouse: Lighthouse;
  /** Prints pages with the same browser. */
  printer: Printer;
  child: WireChildSite;
  keyPairs: KeyPairSource;
  queue: Queue;
  deadlines: NonNullable<Overrides['deadlines']>;
  /** Where the APIs of backup providers are in a test, by provider. */
  providerBases: Readonly<Record<string, string>>;
  /** How often schedules are looked at; null leaves it to others. */
  tickMs: number | null;
  metrics: readonly Metric[];
  /** Rules the calls to sites from now on: `look` runs before them, and `rules` are read at each. */
  setCallSettingsSource: (rules: () => CallSettings, look: (revision?: number) => Promise<void>) => void;
  /**
   * Has what another process changed of the rules a moment ago count here. `revision` is that of the settings, where it
   * has just been read.
   */
  refreshCallSettings: (revision?: number) => Promise<void>;
  /** Hears at which of its addresses a site answers. */
  onEndpointFound: (listener: EndpointListener) => void;
}

export async function createPlatform(config: Config, overrides: Overrides): Promise<Platform> {
  const base = await createBase(config, overrides);
  const { database, clock, logger } = base;
  const { knex } = database;
  const { deadlines = {}, keyPairs = createKeyPairSource(2), tickMs = SECOND, providerBases = {} } = overrides;
  let rules = (): CallSettings => {
    throw new Error('No part rules the calls to sites.');
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
  const queue = new Queue({ knex, clock, logger, leaseMs: config.leaseMs });
  return {
    ...base,
    config,
    knex,
    outbound,
    smtp: config.smtp && new Smtp(config.smtp),
    lighthouse: new Lighthouse({
      ...browser,
      allowedNetworks: config.allowedNetworks,
      ipv4Only: () => rules().ipv4Only,
    }),
    printer,
    child,
    keyPairs,
    queue,
    deadlines,
    tickMs,
    providerBases,
    metrics: metricsOf(child),
    onEndpointFound: (listener) => listeners.push(listener),
    setCallSettingsSource: (read, lookFirst) => {
      rules = read;
      look = lookFirst;
    },
    refreshCallSettings: (revision) => look(revision),
    close: async () => {
      await printer.close(new StoppingError('svc_stopping', 'The service is stopping.'));
      await outbound.close();
      await base.close();
    },
  };
}

const metricsOf = ({ scheduler }: WireChildSite): Metric[] => [
  { name: 'sitefleet_calls_running', help: 'Calls to sites under way.', read: () => scheduler.stats().running },
  {
    name: 'sitefleet_calls_waiting',
    help: 'Calls to sites that wait for their turn.',
    read: () => scheduler.stats().waiting,
  },
  {
    name: 'sitefleet_sites_broken',
    help: 'Sites that are not called for a while.',
    read: () => scheduler.stats().broken,
  },
];
