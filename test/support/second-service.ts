import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createContainer, type Container } from '../../src/service/container.ts';
import { pooledKeyPairs } from './key-pool.ts';
import { testConfig, type World } from './world.ts';

export interface SecondService {
  url: string;
  container: Container;
  close: () => Promise<void>;
}

/** Starts another service on the database of a world. `env` has the secret key of the world. */
export async function startSecondService(world: World, env: Record<string, string>): Promise<SecondService> {
  const server = createServer({ keepAliveTimeout: 120_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, logger } = world.container;
  const container = await createContainer(testConfig(world.url, env), {
    ...{ database, logger, keyPairs: pooledKeyPairs(), tickMs: null },
    deadlines: { lookAgainMs: [30, 120], pageAgainMs: 20 },
  });
  await container.start();
  server.on('request', container.app);
  return {
    url,
    container,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await container.close();
    },
  };
}
