/**
 * Process between the service and the browser that enforces limits. It does almost no work itself, so it can always
 * react. It ends the browser when the deadline has passed, the memory limit is exceeded, the work is done, or the
 * service exits for any reason. Then it removes the files of the browser.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GuardedProxy } from '../outbound/index.ts';
import { startProcess } from './start-process.ts';
import { folderPrefix } from './stale-browser-folders.ts';
import type {
  AuditOutcome,
  AuditRunnerTask,
  SupervisorMessage,
  SupervisorTask,
  PrintRequest,
  RunnerMessage,
  RunnerTask,
  NetworkPolicy,
} from './process-messages.ts';
import { descendantsOf, isRunning, killNow, memoryOf } from './process-tree.ts';

const MEMORY_CHECK_MS = 500;
/** Nice value of the browser processes. The default is 0; a higher value lets the service use the CPU first. */
const PRIORITY = 5;
const RUNNER_HEAP_MB = 768;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_EXIT_WAIT_MS = 5_000;
const EXIT_POLL_MS = 20;

class BrowserSupervisor {
  readonly #task: SupervisorTask;
  #folder: string | null = null;
  #proxy: GuardedProxy | null = null;
  #runner: ChildProcess | null = null;
  #browserPid: number | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #memoryChecks: NodeJS.Timeout | undefined;
  #ending: Promise<void> | null = null;

  constructor(wanted: SupervisorTask) {
    this.#task = wanted;
  }

  async run(): Promise<void> {
    const { audit, limits: _limits, ...start } = this.#task;
    await raiseOomScore();
    const folder = await mkdtemp(folderPrefix());
    this.#folder = folder;
    if (audit === null) {
      if (this.#ending) return;
      this.#start('print-runner', { ...start, folder });
      sendMessage({ folder });
    } else {
      const proxyPort = await this.#openProxy(this.#task);
      if (this.#ending) return;
      this.#start('audit-runner', { ...start, folder, audit, proxyPort });
      this.#startClock();
    }
    this.#memoryChecks = setInterval(() => void this.#checkMemory(), MEMORY_CHECK_MS);
  }

  print(order: PrintRequest): void {
    this.#startClock();
    this.#runner?.send(order);
  }

  async #openProxy({ allowedNetworks, ipv4Only }: NetworkPolicy): Promise<number> {
    // The proxy is loaded only for audits, because printing needs no network.
    const { openGuardedProxy } = await import('../outbound/index.ts');
    this.#proxy = await openGuardedProxy({
      allowedNetworks,
      ipv4Only,
      maxBytes: MAX_PAGE_BYTES,
      maxConnections: MAX_CONNECTIONS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
    return this.#proxy.port;
  }

  #start(name: 'audit-runner' | 'print-runner', task: RunnerTask | AuditRunnerTask): void {
    const env = { PATH: task.systemPath, HOME: task.folder, TMPDIR: task.folder };
    const runner = startProcess(name, { heapMb: RUNNER_HEAP_MB, env });
    this.#runner = runner;
    runner.on('message', (message) => this.#handleMessage(message as RunnerMessage));
    runner.on('error', (error) => void this.end({ fault: 'browser_failed', detail: error.message }));
    runner.on(
      'exit',
      (code, signal) => void this.end({ fault: 'browser_failed', detail: `runner: ${code ?? signal}` }),
    );
    runner.send(task);
  }

  #startClock(): void {
    const late = (): void => void this.end({ fault: 'timeout', detail: 'the deadline has passed' });
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(late, this.#task.limits.deadlineMs);
  }

  #handleMessage(message: RunnerMessage): void {
    if ('browserPid' in message) this.#browserPid = message.browserPid;
    else if ('printed' in message) {
      clearTimeout(this.#deadline);
      sendMessage(message);
    } else void this.end(message);
  }

  async #checkMemory(): Promise<void> {
    if (this.#proxy?.stats().exceeded) await this.end({ fault: 'too_large', detail: 'the page is too large' });
    const { memoryBytes } = this.#task.limits;
    const bytes = memoryOf(descendantsOf(process.pid), memoryBytes);
    if (bytes > memoryBytes) await this.end({ fault: 'out_of_memory', detail: `${bytes} bytes` });
  }

  end(outcome: AuditOutcome): Promise<void> {
    this.#ending ??= this.#end(outcome);
    return this.#ending;
  }

  async #end(outcome: AuditOutcome): Promise<void> {
    clearTimeout(this.#deadline);
    clearInterval(this.#memoryChecks);
    const refusals = this.#proxy?.stats().refused ?? 0;
    await this.#killAll();
    await this.#proxy?.close();
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    const message = 'report' in outcome ? { ...outcome, refused: refusals } : outcome;
    if (process.connected) await new Promise<void>((done) => process.send?.(message, () => done()));
    process.exit(0);
  }

  /**
   * Kills the runner, the browser and all of their processes. The runner and the browser each lead a process group. A
   * process that has left its group is still found as a descendant of this process.
   */
  async #killAll(): Promise<void> {
    const pids = descendantsOf(process.pid);
    const leaders = [this.#runner?.pid, this.#browserPid].filter((pid) => typeof pid === 'number');
    for (const pid of leaders) killNow(-pid);
    for (const pid of [...pids, ...leaders]) killNow(pid);
    const until = performance.now() + MAX_EXIT_WAIT_MS;
    for (const pid of [...pids, ...leaders])
      while (isRunning(pid) && performance.now() < until) await sleep(EXIT_POLL_MS);
  }
}

function sendMessage(message: SupervisorMessage): void {
  if (process.connected) process.send?.(message);
}

/**
 * Lowers the priority, and makes Linux kill the browser before the service if memory runs out. Child processes inherit
 * both.
 */
async function raiseOomScore(): Promise<void> {
  await writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
  try {
    setPriority(PRIORITY);
  } catch {
    // Some systems do not allow a process to lower its priority.
  }
}

let supervisor: BrowserSupervisor | null = null;
const endSupervision = (detail: string): void => {
  if (supervisor) void supervisor.end({ fault: 'browser_failed', detail });
  else process.exit(0);
};
process.on('disconnect', () => endSupervision('the service has exited'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => endSupervision(signal));
process.on('message', (message) => {
  if (supervisor) return supervisor.print(message as PrintRequest);
  supervisor = new BrowserSupervisor(message as SupervisorTask);
  supervisor.run().catch((error: unknown) => endSupervision(String((error as Error).stack ?? error)));
});
