import type { KeyObject } from 'node:crypto';
import type { ChildSite } from './dispatch.ts';
import { FaultSwitch, type Fault } from './faults.ts';
import { noDefects, type Defects } from './operations/defects.ts';
import type { KeptAnswer } from './operations/stats.ts';
import { Gauge, type RequestEntry } from './request-log.ts';
import { adminPasswordOf, generateSite } from './state/generate.ts';
import type { Connection, SiteState } from './state/types.ts';
import { actAsVisitor, type VisitorAct } from './visitor.ts';

/** What a site needs from its fleet. */
export interface SiteOptions {
  index: number;
  seed: number;
  /** With a trailing slash. */
  url: string;
  latencyMs: number;
  /** Requests kept in `requests`. */
  logSize: number;
  now: () => number;
  primed: { publicKeyPem: string; server: string; admin: string } | undefined;
}

/** One simulated site. It is built when first asked for: ten thousand idle ones cost next to nothing. */
export class SimulatedSite implements ChildSite {
  readonly index: number;
  readonly url: string;
  readonly siteUrl: string;
  /** Login of the administrator. */
  readonly admin: string;
  readonly adminPassword: string;
  /** Milliseconds each answer takes. */
  latencyMs: number;
  /** Its texts are in another language. */
  translated = false;
  /** The last requests, oldest first. */
  readonly requests: RequestEntry[] = [];
  readonly gauge = new Gauge();
  /** How many pieces of work hold WordPress in maintenance mode at this moment. */
  maintenance = 0;
  revision = 0;
  keptAnswer: KeptAnswer | undefined;
  parsedKey: { pem: string; key: KeyObject | null } | undefined;
  readonly #options: SiteOptions;
  #state: SiteState | undefined;
  #defects: Defects | undefined;
  #faults: FaultSwitch | undefined;

  constructor(options: SiteOptions) {
    this.#options = options;
    this.index = options.index;
    this.url = options.url;
    this.siteUrl = options.url.replace(/\/$/, '');
    this.admin = options.primed?.admin ?? 'admin';
    this.adminPassword = adminPasswordOf(options.seed, options.index);
    this.latencyMs = options.latencyMs;
  }

  /** What the site holds. Who changes it directly calls `touch()` afterwards. */
  get state(): SiteState {
    this.#state ??= this.#build();
    return this.#state;
  }

  /** Misbehaving files of this site. */
  get defects(): Defects {
    this.#defects ??= noDefects();
    return this.#defects;
  }

  /** The fault every fitting request meets, or null. */
  get fault(): Fault | null {
    return this.#faults?.fault ?? null;
  }

  set fault(fault: Fault | null) {
    this.faults.fault = fault;
  }

  /** Faults for the next requests, one each. */
  get faultQueue(): Fault[] {
    return this.faults.queue;
  }

  get faults(): FaultSwitch {
    this.#faults ??= new FaultSwitch();
    return this.#faults;
  }

  /** The most requests that were open at this site at the same time. */
  get maxConcurrent(): number {
    return this.gauge.highest;
  }

  /** How often a function was called, as far as `requests` reaches back. */
  countOf(name: string): number {
    return this.requests.filter((entry) => entry.function === name).length;
  }

  /** Say that the state was changed by hand, so that no kept answer is given any more. */
  touch(): void {
    this.revision += 1;
  }

  /** Do what somebody at the site does in wp-admin, with its traces in the child's logs. */
  actAsVisitor(act: VisitorAct): void {
    actAsVisitor(this.state, act, this.#options.now() / 1000);
    this.touch();
  }

  /** The child reports this version from now on, e.g. an old 3.9. */
  setChildVersion(version: string): void {
    this.state.childVersion = version;
    const child = [...this.state.plugins.values()].find((plugin) => plugin.definition.name === 'MainWP Child');
    if (child !== undefined) child.version = version;
    this.touch();
  }

  /** The child loses its connection, as after a restored database. */
  loseKey(): void {
    this.#connect({ publicKey: null, server: '', connectedAdmin: '', signAlgo: 0 });
  }

  /** Another dashboard took the child over. */
  replaceKey(publicKeyPem: string, server = 'https://other-dashboard.example/wp-admin/'): void {
    this.#connect({ ...this.state.connection, publicKey: publicKeyPem, server });
  }

  /** Remember a request; the oldest is forgotten. */
  remember(entry: RequestEntry): void {
    this.requests.push(entry);
    if (this.requests.length > this.#options.logSize) this.requests.shift();
  }

  now(): number {
    return this.#options.now();
  }

  #connect(connection: Connection): void {
    this.state.connection = connection;
    this.touch();
  }

  #build(): SiteState {
    const { seed, index, primed, now } = this.#options;
    const state = generateSite({ seed, index, now: now(), admin: this.admin, adminPassword: this.adminPassword });
    if (primed !== undefined) {
      const { publicKeyPem, server, admin } = primed;
      state.connection = { publicKey: publicKeyPem, server, connectedAdmin: admin, signAlgo: 7 };
    }
    return state;
  }
}
