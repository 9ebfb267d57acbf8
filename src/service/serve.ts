import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { readConfig, type Config } from '../platform/config.ts';
import type { Overrides } from '../platform/platform.ts';
import { createContainer, type Container } from './container.ts';
import { lockDataFolder, makeDataFolder } from '../db/data-folder.ts';
import { checkServerBinlogFormat } from '../db/server-check.ts';
import { checkSealingKey } from '../db/sealing-check.ts';
import { withStartupErrors } from '../db/startup-errors.ts';
import { drainOnSignals } from './drain.ts';
import { migrateOnStart } from './migrate-on-start.ts';
import type { FirstCredentials } from '../domains/access/index.ts';
import { HttpServer } from '../http/server.ts';
import { StartupError } from '../shared/startup-error.ts';

/**
 * Limits the growth of the heap between two garbage collections. By default V8 lets the heap grow to four times the
 * live data. A sync of a large fleet would fill this space with short-lived objects.
 */
const HEAP_GROWTH_PERCENT = 80;
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);

/** Starts the service, and returns when the request validators are set up. Throws `StartupError`. */
export async function serve(overrides: Overrides = {}): Promise<void> {
  const config = readConfig();
  const { container, port } = await withStartupErrors(config.database, () => start(config, overrides));
  printAddress(config, port);
  await container.warmUp();
  container.integrity?.check();
}

interface StartedService {
  container: Container;
  port: number;
}

/**
 * Starts the service. Steps that can fail come before those that cannot be undone: the first credentials are shown only
 * once, and jobs begin to change sites.
 */
async function start(config: Config, overrides: Overrides): Promise<StartedService> {
  if (config.database.dialect === 'sqlite') {
    makeDataFolder(config.dataDir);
    const lock = lockDataFolder(config.dataDir);
    // The handler keeps a reference to the lock, which garbage collection would release otherwise.
    process.once('exit', lock.release);
  }
  const container = await createContainer(config, overrides);
  await checkServerBinlogFormat(container.database);
  if (!(await migrateOnStart(container.database.knex, container.logger))) {
    await container.close();
    process.exit(0);
  }
  await checkSealingKey(container.database, container.sealing);

  /*
   * The port opens before the first credentials are created and shown. If the port is in use, no credentials are
   * created and lost. Requests that arrive early wait.
   */
  const http = new HttpServer(container.logger);
  drainOnSignals(container, http);
  const port = await listen(http.server, config);
  // Nothing may fail between the two: the credentials are stored and cannot be read again.
  printFirstCredentials(await container.services.access.access.ensureFirstCredentials(config.preset));
  await container.start();
  http.serve(container.app);
  return { container, port };
}

async function listen(server: Server, { host, port }: Config): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartupError(
        `Port ${port} of ${host} is in use. Set PORT to a free port, or stop the process that uses it.`,
      );
    if (code === 'EACCES')
      throw new StartupError(`This user is not allowed to use port ${port}. Set PORT to 1024 or above.`);
    throw new StartupError(`The service cannot listen on ${host} (${code}). Set HOST to an address of this machine.`);
  }
}

function printAddress(config: Config, port: number): void {
  const here = config.port === 0 ? config.publicUrl.replace(/:0$/, `:${port}`) : config.publicUrl;
  print([`Sitefleet listens on ${here}`, `  docs  ${here}/docs`]);
}

function printFirstCredentials(credentials: FirstCredentials | null): void {
  if (!credentials) return;
  const lines = ['First credentials (shown only once):', `  user                  ${credentials.user}`];
  if (credentials.password) lines.push(`  application password  ${credentials.password}`);
  if (credentials.apiKey) lines.push(`  API key               ${credentials.apiKey}`);
  print(lines);
}

/** Prints to standard output and never to the log, because a log would store the first credentials. */
function print(lines: readonly string[]): void {
  // The process that reads standard output can end before the service is up. The failing write must not end the
  // service.
  process.stdout.on('error', () => undefined);
  process.stdout.write(`${lines.join('\n')}\n\n`);
}
