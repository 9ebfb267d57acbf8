import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, type Config } from './config.ts';
import { createContainer } from './container.ts';
import { migrateUp } from './db/migrations/index.ts';
import { drainOnSignals } from './drain.ts';
import type { FirstCredentials } from './domains/access/index.ts';
import { HttpServer } from './http/server.ts';

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

  const http = new HttpServer(container.app, container.logger);
  drainOnSignals(container, http);
  http.server.listen(config.port, config.host);
  await once(http.server, 'listening');
  const { port } = http.server.address() as AddressInfo;
  announce(config, port, credentials);
  await container.warmUp();
}

/** To standard output, and never through the logger: this is the only time that the first credentials are seen. */
function announce(config: Config, port: number, credentials: FirstCredentials | null): void {
  const here = config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl;
  const lines = [`Sitefleet listens on ${here}`, `  docs  ${here}/docs`];
  if (credentials) {
    lines.push('', 'First credentials, shown this once:', `  user                  ${credentials.user}`);
    if (credentials.password) lines.push(`  application password  ${credentials.password}`);
    if (credentials.apiKey) lines.push(`  API key               ${credentials.apiKey}`);
  }
  // Whoever started the process may have gone before it is up.
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${lines.join('\n')}\n\n`);
}
