import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { readConfig, type Config } from './platform/config.ts';
import { createContainer, type Container } from './service/container.ts';
import { lockFolder, makeDataFolder } from './db/data-folder.ts';
import { migrateUp } from './db/migrations/index.ts';
import { checkSealingKey } from './db/sealing-check.ts';
import { withStartupErrors } from './db/startup-errors.ts';
import { drainOnSignals } from './service/drain.ts';
import type { FirstCredentials } from './domains/access/index.ts';
import { HttpServer } from './http/server.ts';
import { StartupError } from './shared/startup-error.ts';

/**
 * The heap may grow by this share of what is alive before it is cleared. By itself V8 lets it grow to four times that,
 * which a sync of a large fleet, all of it short-lived, makes full use of.
 */
const HEAP_GROWTH_PERCENT = 80;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);

try {
  await serve(readConfig());
} catch (error) {
  // What an operator can mend is one sentence; anything else is a fault of ours, and told as such.
  process.stderr.write(`${error instanceof StartupError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}

async function serve(config: Config): Promise<void> {
  const { container, credentials, port } = await withStartupErrors(config.database, () => start(config));
  announce(config, port, credentials);
  await container.warmUp();
}

interface Started {
  container: Container;
  credentials: FirstCredentials | null;
  port: number;
}

/**
 * What cannot be done is known before anything that lasts: credentials are shown once, and work that began must go on.
 */
async function start(config: Config): Promise<Started> {
  if (config.database.dialect === 'sqlite') {
    makeDataFolder(config.dataDir);
    const lock = lockFolder(config.dataDir);
    // Not for the system, which needs no help, but for the collector of garbage: the lock must be held from somewhere.
    process.once('exit', lock.release);
  }
  const container = await createContainer(config);
  await migrateUp(container.database.knex);
  await checkSealingKey(container.database, container.sealing);

  // Whoever calls before the work has begun waits for it.
  const early: Parameters<RequestListener>[] = [];
  let answer: RequestListener = (...call) => void early.push(call);
  const http = new HttpServer((...call) => answer(...call), container.logger);
  drainOnSignals(container, http);
  const port = await listen(http.server, config);
  const credentials = await container.services.access.access.ensureFirstCredentials(config.preset);
  await container.start();
  answer = container.app;
  for (const call of early) container.app(...call);
  return { container, credentials, port };
}

async function listen(server: Server, { host, port }: Config): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartupError(`Port ${port} of ${host} is in use. Set PORT to a free one, or stop what listens there.`);
    if (code === 'EACCES') throw new StartupError(`Port ${port} is kept from this user. Set PORT to 1024 or above.`);
    throw new StartupError(`${host} is no address to listen on here (${code}). Set HOST to one of this machine.`);
  }
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
