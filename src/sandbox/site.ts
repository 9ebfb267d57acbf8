import type { KeyObject } from 'node:crypto';
import type { SimulatedChildSite } from './dispatch.ts';
import { FaultSwitch, type Fault } from './faults.ts';
import { noDefects, type Defects } from './operations/defects.ts';
import type { CachedResponse } from './operations/stats.ts';
import type { SignatureMemory } from './protocol/signature-memory.ts';
import { ConcurrencyGauge, type RequestEntry } from './request-log.ts';
import { adminPasswordOf, generateSite } from './state/generate.ts';
import type { Connection, SiteState } from './state/site-state.ts';
import { performWpAdminAction, type WpAdminAction } from './wp-admin-actions.ts';

export interface SiteOptions {
  index: number;
  seed: number;
  url: string;
  latencyMs: number;
  logSize: number;
  now: () => number;
  primed: { publicKeyPem: string; server: string; admin: string } | undefined;
}

/** A simulated site. Its state is created on first use, so that 10,000 idle sites need almost no memory. */
export class SimulatedSite implements SimulatedChildSite {
  readonly index: number;
  readonly url: string;
  /** Address that the site reports. A copy of a site reports the address of the original. */
  siteUrl: string;
  readonly admin: string;
  readonly adminPassword: string;
  latencyMs: number;
  translated = false;
  readonly requests: RequestEntry[] = [];
  readonly gauge = new ConcurrencyGauge();
  maintenance = 0;
  /** Time of the `.maintenance` file that an update has left behind, in milliseconds. Null without one. */
  maintenanceFile: number | null = null;
  /** Age of the `.maintenance` file, in milliseconds, from which WordPress ignores it. */
  maintenanceMs = 600_000;
  revision = 0;
  cachedResponse: CachedResponse | undefined;
  parsedKey: { pem: string; key: KeyObject | null } | undefined;
  readonly #options: SiteOptions;
  #state: SiteState | undefined;
  #defects: Defects | undefined;
  #faults: FaultSwitch | undefined;
  #signatures: SignatureMemory | undefined;

  constructor(options: SiteOptions) {
    this.#options = options;
    this.index = options.index;
    this.url = options.url;
    this.siteUrl = options.url.replace(/\/$/, '');
    this.admin = options.primed?.admin ?? 'admin';
    this.adminPassword = adminPasswordOf(options.seed, options.index);
    this.latencyMs = options.latencyMs;
  }

  /** State of the site. Call `touch()` after you change it directly. */
  get state(): SiteState {
    this.#state ??= this.#build();
    return this.#state;
  }

  get defects(): Defects {
    this.#defects ??= noDefects();
    return this.#defects;
  }

  get fault(): Fault | null {
    return this.#faults?.fault ?? null;
  }

  set fault(fault: Fault | null) {
    this.faults.fault = fault;
  }

  get faultQueue(): Fault[] {
    return this.faults.queue;
  }

  get faults(): FaultSwitch {
    this.#faults ??= new FaultSwitch();
    return this.#faults;
  }

  get isInMaintenance(): boolean {
    const isFileValid = this.maintenanceFile !== null && this.now() - this.maintenanceFile < this.maintenanceMs;
    return this.maintenance > 0 || isFileValid;
  }

  get signatures(): SignatureMemory {
    this.#signatures ??= new Map();
    return this.#signatures;
  }

  get maxConcurrent(): number {
    return this.gauge.highest;
  }

  countOf(name: string): number {
    return this.requests.filter((entry) => entry.function === name).length;
  }

  touch(): void {
    this.revision += 1;
  }

  performWpAdminAction(act: WpAdminAction): void {
    performWpAdminAction(this.state, act, this.#options.now() / 1000);
    this.touch();
  }

  /** Sets the version of the child plugin. From 6.2 on, the site remembers signatures and refuses repeated ones. */
  setChildVersion(version: string): void {
    this.state.childVersion = version;
    const child = [...this.state.plugins.values()].find((plugin) => plugin.definition.name === 'MainWP Child');
    if (child !== undefined) child.version = version;
    this.touch();
  }

  /** Removes the connection, as when the site is restored from a backup that is older than the connection. */
  loseKey(): void {
    this.#connect({ publicKey: null, server: '', connectedAdmin: '', signAlgo: 0 });
  }

  replaceKey(publicKeyPem: string, server = 'https://other-dashboard.example/wp-admin/'): void {
    this.#connect({ ...this.state.connection, publicKey: publicKeyPem, server });
  }

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
