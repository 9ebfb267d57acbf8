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

/** Response of an RDAP server for a domain: a record, a status with headers, or a function. */
export type RdapResponse =
  | { record: object }
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse) => void);
/** Response of a WHOIS server to a line, or a function that handles the socket. */
export type WhoisResponse = string | ((socket: Socket) => void);

const placeOf = (server: Server): string => {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
};

/** Real servers in the roles of the registries: the list of RDAP servers, an RDAP server, and a WHOIS server. */
export class FakeRegistries {
  /** Domains in the order of their RDAP requests, and lines that the WHOIS server received. */
  readonly rdapRequests: string[] = [];
  readonly whoisRequests: string[] = [];
  /** Times of the RDAP requests, by the clock of the service. */
  readonly rdapRequestTimes: number[] = [];
  readonly rdap: Record<string, RdapResponse> = {};
  readonly whois: Record<string, WhoisResponse> = {};
  /** The top-level domains that RDAP serves. */
  rdapZones = ['com', 'org', 'fr', 'uk', 'cz', 'br'];
  /** Response that replaces the list of RDAP servers. */
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

  /** Settings that make a service use these servers. */
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
    if (url.startsWith('/dns.json')) {
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

/** Makes a world use these registries only. */
export async function useRegistries(world: World, registries: FakeRegistries): Promise<void> {
  await editSettings(world, 'domain-monitor', registries.settings);
}

/** Gives a suite a world with these registries, at this hour of a clock that the suite can move. */
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

/** Stores a site of this domain. Returns its ID. */
export async function seedDomain(world: World, host: string): Promise<number> {
  const { id } = await seedSite(world);
  await world.container.database
    .knex('sites')
    .where({ id })
    .update({ url: `https://${host}/` });
  return id;
}

// The contract check has already seen the bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Profile = any;

export const readProfile = async (world: World, id: number): Promise<Profile> =>
  (await world.request('GET', `/api/v2/domain-monitor/profiles/${id}`)).body.data;

export const checkDomain = async (world: World, id: number, query = ''): Promise<Profile> =>
  (await world.request('POST', `/api/v2/domain-monitor/${id}${query}`)).body.data;

export const editDomainEntry = async (world: World, id: number, body: object): Promise<Profile> =>
  (await world.request('PUT', `/api/v2/domain-monitor/manual/${id}`, { body })).body.data;

/** Looks up these domains in one run of the schedule. */
export async function runDomainChecks(world: World): Promise<Profile> {
  const { body } = await world.request('POST', '/api/v2/schedules/domain-checks/run');
  return world.finishedJob(body.data.job_id as string);
}

/** Removes the stored responses of the registries, as if days had passed. */
export const expireLookups = (world: World): Promise<void> =>
  inTransaction(world.container.knex, async ({ trx }) => {
    await trx('domains').update({ asked_at: null, answered_at: null });
  });
