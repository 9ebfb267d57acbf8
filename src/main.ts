import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createContainer, type Container } from './container.ts';
import { migrateUp } from './db/migrations/index.ts';
import type { FirstCredentials } from './domains/access/index.ts';

/** Time that work under way is given when the process is asked to end. */
const GRACE_MS = 25_000;

/**
 * The heap may grow by this share of what is alive before it is cleared. By itself V8 lets it grow to four times that, which a
 * sync of a large fleet, all of it short-lived, makes full use of.
 */
const HEAP_GROWTH_PERCENT = 80;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);

try {
  await serve(readConfig());
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function serve(config: Config): Promise<void> {
  const container = await createContainer(config);
  await migrateUp(container.database.knex);
  const credentials = await container.access.ensureFirstCredentials(config.preset);
  await container.start();

  const server = container.app.listen(config.port, config.host);
  await once(server, 'listening');
  // Longer than the idle time of usual proxies, so that it is never we who hang up on a request just sent.
  server.keepAliveTimeout = 75_000;
  const { port } = server.address() as AddressInfo;
  announce(config, port, credentials);
  await container.warmUp();

  const stop = async (signal: string): Promise<void> => {
    container.logger.info({ signal }, 'draining');
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await container.drain(GRACE_MS);
    await Promise.race([closed, sleep(GRACE_MS)]);
    server.closeAllConnections();
    await container.close();
    container.logger.info('stopped');
  };
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // The second one means it.
      if (stopping) process.exit(1);
      stopping = true;
      void stop(signal).then(() => process.exit(0), fail(container));
    });
}

const fail =
  ({ logger }: Container) =>
  (error: unknown): never => {
    logger.fatal({ err: error }, 'could not stop in order');
    return process.exit(1);
  };

/** To standard output, and never through the logger: this is the only time that the first credentials are seen. */
function announce(config: Config, port: number, credentials: FirstCredentials | null): void {
  const here = config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl;
  const lines = [`Sitefleet listens on ${here}`, `  docs  ${here}/docs`];
  if (credentials) {
    lines.push('', 'First credentials, shown this once:', `  user                  ${credentials.user}`);
    if (credentials.password) lines.push(`  application password  ${credentials.password}`);
    if (credentials.apiKey) lines.push(`  API key               ${credentials.apiKey}`);
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}
