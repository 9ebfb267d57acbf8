import { join } from 'node:path';
import type { RunnerMessage, RunnerTask } from './process-messages.ts';

/** Types of those parts of Puppeteer that are used. They are not imported, because the package is optional. */
export interface Browser {
  newPage(): Promise<Page>;
  process(): { pid?: number } | null;
}
export interface Page {
  setJavaScriptEnabled(enabled: boolean): Promise<void>;
  setOfflineMode(enabled: boolean): Promise<void>;
  setContent(html: string, options: { waitUntil: 'load'; timeout: number }): Promise<void>;
  pdf(options: object): Promise<unknown>;
  close(): Promise<void>;
}
interface Puppeteer {
  default: { launch(options: object): Promise<Browser> };
}

/** Imports an optional package. `name` is a variable, so that the build does not resolve the import. */
export const importModule = (name: string): Promise<unknown> => import(name) as Promise<unknown>;

export function sendMessage(message: RunnerMessage): void {
  process.send?.(message);
}

export function runTask<Task>(work: (task: Task) => Promise<void>): void {
  process.on('disconnect', () => process.exit(1));
  process.once('message', (message) => {
    work(message as Task).catch((error: unknown) =>
      sendMessage({ fault: 'browser_failed', detail: String((error as Error).stack ?? error) }),
    );
  });
}

interface Launch extends RunnerTask {
  /** Port of the proxy through which all traffic of the browser goes. Null: no network access. */
  proxyPort: number | null;
  more?: object;
}

/** Port on which nothing listens, so that every connection fails. Only a privileged process could listen on it. */
const CLOSED_PORT = 9;

/** The browser exits when this process exits, because they share a pipe. */
export async function launch({ chromePath, sandbox, folder, systemPath, proxyPort, more }: Launch): Promise<Browser> {
  const puppeteer = (await importModule('puppeteer-core')) as Puppeteer;
  const browser = await puppeteer.default.launch({
    executablePath: chromePath,
    pipe: true,
    headless: true,
    userDataDir: join(folder, 'profile'),
    env: { PATH: systemPath, HOME: folder, TMPDIR: folder },
    args: [
      ...proxyOnlyFlags(proxyPort ?? CLOSED_PORT),
      '--disable-dev-shm-usage',
      '--no-pings',
      ...(sandbox ? [] : ['--no-sandbox']),
    ],
    ...more,
  });
  const { pid } = browser.process() ?? {};
  if (pid !== undefined) sendMessage({ browserPid: pid });
  return browser;
}

/**
 * Browser options that send all traffic to the proxy, including traffic to the loopback interface. The browser itself
 * resolves no host names.
 */
const proxyOnlyFlags = (proxyPort: number): string[] => [
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];
