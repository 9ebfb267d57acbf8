import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { inTransaction } from '../../src/db/transaction.ts';
import type { SettingsPatch } from '../../src/domains/settings/index.ts';
import { systemClock, type Clock } from '../../src/shared/clock.ts';
import { ManualClock } from './schedules.ts';
import { seedSite } from './sites.ts';
import { editSettings } from './settings.ts';
import { startWorld, type World } from './world.ts';

/** What an RDAP server answers for a domain: a record, a status with headers, or whatever a test does by itself. */
export type RdapResponse =
  | { record: object }
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse) => void);
/** What a WHOIS server answers to a line; a function does by itself what it wants. */
export type WhoisResponse = string | ((socket: Socket) => void);

const placeOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
};

/**
 * The registries of the world: one that lists the RDAP servers, an RDAP server, and a WHOIS server, all of them real.
 */
export class FakeRegistries {
  /** Domains, in the order in which they were asked for by RDAP, and lines that came by WHOIS. */
  readonly rdapRequests: string[] = [];
  readonly whoisRequests: string[] = [];
  /** When RDAP was asked, by the clock of the service. */
  readonly rdapRequestTimes: number[] = [];
  readonly rdap: Record<string, RdapResponse> = {};
  readonly whois: Record<string, WhoisResponse> = {};
  /** The top-level domains that RDAP serves. */
  rdapZones = ['com', 'org', 'fr', 'uk', 'cz', 'br'];
  /** What the list of RDAP servers answers instead. */
  bootstrap: RdapResponse | null = null;
  bootstrapLoads = 0;
  /** Runs before RDAP answers. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  readonly #http: Server;
  readonly #whois: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clock: Clock;

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.#http = createHttpServer((request, response) => void this.#serve(request, response));
    this.#whois = createServer((socket) => this.#hear(socket));
    this.#http.on('connection', (socket: Socket) => this.#keep(socket));
  }

  static async start(host = '127.0.0.1', clock = systemClock): Promise<FakeRegistries> {
    const registries = new FakeRegistries(clock);
    for (const server of [registries.#http, registries.#whois]) {
      server.listen(0, host);
      await once(server, 'listening');
    }
    return registries;
  }

  get url(): string {
    return `http://${placeOf(this.#http)}`;
  }

  get whoisAddress(): string {
    return placeOf(this.#whois);
  }

  /** Settings that lead to them. */
  get settings(): SettingsPatch<'domain-monitor'> {
    return {
      rdap_bootstrap_url: `${this.url}/dns.json`,
      whois_root: '',
      whois_servers: [`*=${this.whoisAddress}`],
      lookup_spacing: 0,
    };
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of [this.#http, this.#whois]) {
      server.close();
      await once(server, 'close');
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }

  async #serve({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url === '/dns.json') {
      this.bootstrapLoads += 1;
      const body = { services: [[this.rdapZones, [`${this.url}/rdap/`]]] };
      const etag = `"${this.rdapZones.join('-')}"`;
      if (this.bootstrap) return answer(response, this.bootstrap);
      if (headers['if-none-match'] === etag) return answer(response, { status: 304 });
      return answer(response, { status: 200, headers: { etag }, body: JSON.stringify(body) });
    }
    const name = decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
    this.rdapRequests.push(name);
    this.rdapRequestTimes.push(this.#clock.now());
    await this.beforeAnswer();
    answer(response, this.rdap[name] ?? { status: 404 });
  }

  #hear(socket: Socket): void {
    this.#keep(socket);
    socket.once('data', (line: Buffer) => {
      const question = line.toString('utf8').trim();
      this.whoisRequests.push(question);
      const reply = this.whois[question] ?? 'No match.\r\n';
      if (typeof reply === 'string') socket.end(reply);
      else reply(socket);
    });
  }
}

function answer(response: ServerResponse, wanted: RdapResponse): void {
  if (typeof wanted === 'function') return wanted(response);
  const { status, headers, body } =
    'record' in wanted
      ? { status: 200, headers: { 'content-type': 'application/rdap+json' }, body: JSON.stringify(wanted.record) }
      : wanted;
  response.writeHead(status, headers).end(body ?? '');
}

/** Has a world ask these registries, and no others. */
export async function useRegistries(world: World, registries: FakeRegistries): Promise<void> {
  await editSettings(world, 'domain-monitor', registries.settings);
}

/** Gives a suite a world at this hour of a clock that it may move, whose domains are looked up at these registries. */
export function withRegistries(
  now: string,
  take: (started: { world: World; registries: FakeRegistries; clock: ManualClock }) => void,
): void {
  let registries: FakeRegistries;
  let world: World;
  before(async () => {
    const clock = new ManualClock(now);
    registries = await FakeRegistries.start('127.0.0.1', clock);
    world = await startWorld({ overrides: { clock } });
    await useRegistries(world, registries);
    take({ world, registries, clock });
  });
  after(async () => {
    await world.close();
    await registries.close();
  });
}

/** A site of this domain; its ID. */
export async function seedDomain(world: World, host: string): Promise<number> {
  const { id } = await seedSite(world);
  await world.container.database
    .knex('sites')
    .where({ id })
    .update({ url: `https://${host}/` });
  return id;
}

// The bodies have been checked against the contract.
// oxlint-disable-next-line typescript/no-explicit-any
type Profile = any;

export const readProfile = async (world: World, id: number): Promise<Profile> =>
  (await world.request('GET', `/api/v2/domain-monitor/profiles/${id}`)).body.data;

export const checkDomain = async (world: World, id: number, query = ''): Promise<Profile> =>
  (await world.request('POST', `/api/v2/domain-monitor/${id}${query}`)).body.data;

export const editDomainEntry = async (world: World, id: number, body: object): Promise<Profile> =>
  (await world.request('PUT', `/api/v2/domain-monitor/${id}/manual`, { body })).body.data;

/** Has the domains looked up that are named, as one run of the schedule does. */
export async function runDomainChecks(world: World): Promise<Profile> {
  const { body } = await world.request('POST', '/api/v2/schedules/domain-checks/run');
  return world.finishedJob(body.data.job_id as string);
}

/** Forgets what the registries said, as if days had passed. */
export const expireLookups = (world: World): Promise<void> =>
  inTransaction(world.container.knex, async ({ trx }) => {
    await trx('domains').update({ asked_at: null, answered_at: null });
  });
