import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpServer } from '../../src/http/server.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createContainer, type Container, type Overrides } from '../../src/service/container.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { startFleet, type Fleet } from '../../src/sandbox/index.ts';

/** Service and simulated fleet. No site is connected yet. All data is in a temporary folder, which `close` removes. */
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
  env = {},
  overrides = {},
}: {
  sites: number;
  port?: number;
  env?: Record<string, string>;
  overrides?: Overrides;
}): Promise<SimulatedService> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-simulated-'));
  const http = new HttpServer(createLogger(env['LOG_LEVEL'] ?? 'error'));
  await once(http.server.listen(port, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(http.server.address() as { port: number }).port}`;
  const config = readConfig({
    SITEFLEET_PUBLIC_URL: url,
    SITEFLEET_DATA_DIR: folder,
    SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
    ...env,
  });
  const container = await createContainer(config, overrides);
  await migrateUp(container.database.knex);
  const credentials = await container.services.access.access.ensureFirstCredentials(config.preset);
  await container.start();
  http.serve(container.app);
  const fleet = await startFleet({ sites });
  return {
    url,
    user: credentials?.user ?? '',
    password: credentials?.password ?? '',
    apiKey: credentials?.apiKey ?? '',
    container,
    fleet,
    close: async () => {
      http.server.closeAllConnections();
      http.server.close();
      await container.drain(5_000);
      await container.close();
      await fleet.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
