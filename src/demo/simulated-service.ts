import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpServer } from '../http/server.ts';
import { readConfig } from '../platform/config.ts';
import { createContainer, type Container, type Overrides } from '../service/container.ts';
import { createLogger } from '../shared/logger.ts';
import { migrateUp } from '../db/migrations/index.ts';
import { startFleet, type Fleet } from '../sandbox/index.ts';

/**
 * A service with a simulated fleet, of which no site is connected at the start. All data is in a temporary folder,
 * which `close` removes.
 */
export interface SimulatedService {
  url: string;
  user: string;
  password: string;
  apiKey: string;
  container: Container;
  fleet: Fleet;
  close: () => Promise<void>;
}

export async function startSimulatedService({
  sites,
  port = 0,
  seed,
  env = {},
  overrides = {},
  prepare,
}: {
  sites: number;
  port?: number;
  seed?: number;
  env?: Record<string, string>;
  overrides?: Overrides;
  /** Requests wait until the returned promise is fulfilled. */
  prepare?: (service: SimulatedService) => Promise<void>;
}): Promise<SimulatedService> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'sitefleet-simulated-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    const http = new HttpServer(createLogger(env['LOG_LEVEL'] ?? 'error'));
    await once(http.server.listen(port, '127.0.0.1'), 'listening');
    closers.push(() => http.server.close());
    const url = `http://127.0.0.1:${(http.server.address() as { port: number }).port}`;
    const config = readConfig({
      SITEFLEET_PUBLIC_URL: url,
      SITEFLEET_DATA_DIR: folder,
      SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'error',
      ...env,
    });
    const fleet = await startFleet({ sites, ...(seed !== undefined && { seed }) });
    closers.push(() => fleet.close());
    const container = await createContainer(config, overrides);
    closers.push(async () => {
      await container.drain(5_000);
      await container.close();
    });
    closers.push(() => http.server.closeAllConnections());
    await migrateUp(container.database.knex);
    const credentials = await container.services.access.access.ensureFirstCredentials(config.preset);
    await container.start();
    const service: SimulatedService = {
      url,
      user: config.preset.adminUser,
      password: credentials?.password ?? config.preset.adminPassword ?? '',
      apiKey: credentials?.apiKey ?? config.preset.apiKey ?? '',
      container,
      fleet,
      close,
    };
    await prepare?.(service);
    http.serve(container.app);
    return service;
  } catch (error) {
    await close();
    throw error;
  }
}
