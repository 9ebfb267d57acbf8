import type { Knex } from 'knex';
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts';
import { HOUR, SECOND, type Clock } from '../../shared/clock.ts';
import { DomainLookupError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { RdapBootstrapRepository, type RdapBootstrapMetadata } from './rdap-bootstrap-repository.ts';
import { parseRdapBootstrap, rdapServerFor, type RdapServers } from './rdap-bootstrap.ts';
import { toLookupFault } from './lookup-fault.ts';
import { SHIPPED_PUBLICATION, SHIPPED_RDAP_SERVERS } from './shipped-rdap-servers.ts';

export interface BootstrapLoadResult {
  tlds: number;
  changed: boolean;
}

export interface RdapDirectoryDeps {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  outbound: Pick<Outbound, 'request'>;
  url: () => string;
}

const CONNECT_TIMEOUT = 5 * SECOND;
const DEADLINE = 15 * SECOND;
/** Maximum size of the registry of RDAP servers, which has about 100 kB. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 3;
/** Time after a failed load in which lookups do not load the registry of RDAP servers again. */
const AGAIN_AFTER = HOUR;

interface LoadedServers extends RdapBootstrapMetadata {
  servers: RdapServers;
}

export class RdapDirectory {
  readonly #deps: RdapDirectoryDeps;
  #loaded: LoadedServers | null = null;
  #failed: { url: string; at: number } | null = null;
  #loading: Promise<BootstrapLoadResult> | null = null;

  constructor(deps: RdapDirectoryDeps) {
    this.#deps = deps;
  }

  async serverOf(name: string): Promise<string | null> {
    return rdapServerFor(await this.#servers(), name);
  }

  /** Loads the registry of RDAP servers. If that fails, throws `svc_domain_lookup_failed`; the stored one is kept. */
  load(signal?: AbortSignal): Promise<BootstrapLoadResult> {
    this.#loading ??= this.#load(signal).finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #servers(): Promise<RdapServers> {
    const url = this.#deps.url();
    const kept = await this.#repository().find();
    if (kept?.url === url) return this.#serversOf(kept);
    if (!this.#hasJustFailed(url)) {
      try {
        await this.load();
        const loaded = await this.#repository().find();
        if (loaded?.url === url) return await this.#serversOf(loaded);
      } catch (error) {
        this.#deps.logger.warn(
          { err: error },
          `the list of RDAP servers could not be loaded; the list of ${SHIPPED_PUBLICATION} is used`,
        );
      }
    }
    return SHIPPED_RDAP_SERVERS;
  }

  async #serversOf(kept: RdapBootstrapMetadata): Promise<RdapServers> {
    if (this.#loaded?.url === kept.url && this.#loaded.loadedAt === kept.loadedAt) return this.#loaded.servers;
    const servers = parseRdapBootstrap((await this.#repository().body()) ?? '') ?? SHIPPED_RDAP_SERVERS;
    this.#loaded = { ...kept, servers };
    return servers;
  }

  #hasJustFailed(url: string): boolean {
    return this.#failed?.url === url && this.#deps.clock.now() - this.#failed.at < AGAIN_AFTER;
  }

  async #load(signal: AbortSignal | undefined): Promise<BootstrapLoadResult> {
    const { clock, url: addressed } = this.#deps;
    const url = addressed();
    const kept = await this.#repository().find();
    try {
      const answer = await this.#fetch(url, kept?.url === url ? kept.etag : null, signal);
      if (answer.status === 304 && kept) {
        await this.#repository().confirm(clock.now());
        return { tlds: (await this.#serversOf(kept)).size, changed: false };
      }
      return await this.#store(url, answer);
    } catch (error) {
      if (!signal?.aborted) this.#failed = { url, at: clock.now() };
      throw error;
    }
  }

  async #fetch(url: string, etag: string | null, signal: AbortSignal | undefined): Promise<OutboundResponse> {
    try {
      return await this.#deps.outbound.request({
        url,
        method: 'GET',
        headers: { accept: 'application/json', ...(etag !== null && { 'if-none-match': etag }) },
        connectTimeoutMs: CONNECT_TIMEOUT,
        deadlineMs: DEADLINE,
        maxBytes: MAX_BYTES,
        maxRedirects: MAX_REDIRECTS,
        ...(signal && { signal }),
      });
    } catch (cause) {
      const { message } = toLookupFault(cause);
      throw bootstrapLoadError(message.replace('The registry', 'The server of the list of RDAP servers'), cause);
    }
  }

  async #store(url: string, { status, headers, body }: OutboundResponse): Promise<BootstrapLoadResult> {
    const text = body.toString('utf8');
    const servers = status === 200 ? parseRdapBootstrap(text) : null;
    if (!servers) throw bootstrapLoadError('The response is not a list of RDAP servers.');
    const { clock } = this.#deps;
    const changed = (await this.#repository().body()) !== text;
    const etag = typeof headers['etag'] === 'string' ? headers['etag'].slice(0, 200) : null;
    const kept = { url, etag, loadedAt: clock.now() };
    await this.#repository().save(kept, text);
    this.#loaded = { ...kept, servers };
    return { tlds: servers.size, changed };
  }

  #repository(): RdapBootstrapRepository {
    return new RdapBootstrapRepository(this.#deps.knex);
  }
}

const bootstrapLoadError = (message: string, cause?: unknown): DomainLookupError =>
  new DomainLookupError('svc_domain_lookup_failed', message, {}, { cause });
