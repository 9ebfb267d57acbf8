import {
  ConnectionError,
  isRefusal,
  TimeoutError,
  type AnswerOf,
  type Job,
  type JobRead,
  type Sitefleet,
} from '../sdk/index.ts';
import { Deadline } from '../sdk/deadline.ts';
import { connect, type CommonOptions, type Connection } from './connection.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { describeJob, RING_COLUMNS, RING_STOPPED } from './job-report.ts';
import { ProgressBar } from './progress-bar.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { formatJson, formatRecord, formatTable, formatValue, type Column } from './table.ts';

export interface FailedItem {
  identifier: unknown;
  code: string;
  message: string;
}

const FAILED: readonly Column<FailedItem>[] = [
  { title: 'failed', of: ({ identifier }) => identifier },
  { title: 'code', of: ({ code }) => code, narrow: 'keep' },
  { title: 'message', of: ({ message }) => message, narrow: 'wrap' },
];

type JobItem = AnswerOf<'jobs_get'>['items'][number];
type SkippedUpdate = NonNullable<NonNullable<JobItem['result']>['skipped']>[number];

const SKIPPED: readonly Column<SkippedUpdate>[] = [
  { title: 'skipped', of: ({ site_url }) => site_url },
  { title: 'type', of: ({ type }) => type },
  { title: 'slug', of: ({ slug }) => slug },
  { title: 'code', of: ({ code }) => code, narrow: 'keep' },
  { title: 'reason', of: ({ message }) => message, narrow: 'wrap' },
];

type CheckedSite = NonNullable<JobItem['result']>;

const NOT_REACHABLE: readonly Column<CheckedSite>[] = [
  { title: 'not reachable', of: ({ site_url }) => site_url },
  { title: 'status', of: ({ http_status }) => http_status },
  { title: 'ms', of: ({ response_time_ms }) => response_time_ms },
];

const isCallError = (error: unknown): error is Error =>
  isRefusal(error) || error instanceof ConnectionError || error instanceof TimeoutError;

export class CommandContext {
  readonly options: CommonOptions;
  /** Environment of the command. Its signal is aborted by an interruption and by the timeout of the command. */
  readonly environment: CliEnvironment;
  readonly #deadline: Deadline;
  exitCode: number = EXIT_CODES.done;

  constructor(options: CommonOptions, environment: CliEnvironment) {
    this.options = options;
    const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000;
    this.#deadline = new Deadline(environment.signal, timeoutMs, 'command');
    this.environment = { ...environment, signal: this.#deadline.signal };
  }

  /** Runs the work of the command. Throws the reason of the signal if it is aborted meanwhile. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.environment.signal.throwIfAborted();
      throw error;
    } finally {
      this.#deadline.release();
    }
  }

  connection(): Promise<Connection> {
    return connect(this.options, this.environment);
  }

  async fleet(): Promise<Sitefleet> {
    return (await this.connection()).fleet;
  }

  get call(): { signal: AbortSignal } {
    return { signal: this.environment.signal };
  }

  print(data: unknown, text: () => string): void {
    const { out } = this.environment;
    const json = (): string => (out.isTerminal ? formatJson(data) : JSON.stringify(data));
    out.write(this.options.json ? `${json()}\n` : text());
  }

  list<Row>(rows: readonly Row[], columns: readonly Column<Row>[], data: unknown = rows): void {
    this.print(data, () => (rows.length === 0 ? 'Nothing.\n' : this.table(rows, columns)));
  }

  record(data: object): void {
    this.print(data, () => this.fields(data));
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
    return formatTable(rows, columns, { width: this.#width, colored: this.#isColored });
  }

  fields(record: object): string {
    return formatRecord(record, { width: this.#width });
  }

  failures(items: readonly FailedItem[]): string {
    if (items.length === 0) return '';
    this.exitCode = EXIT_CODES.itemsFailed;
    return this.table(items, FAILED);
  }

  async outcome(
    fleet: Sitefleet,
    answer: { errors: readonly FailedItem[] } | { job_id: string; errors: readonly FailedItem[] },
    { wait, done }: { wait: boolean; done: () => string },
  ): Promise<void> {
    if (!('job_id' in answer)) {
      const failed = this.failures(answer.errors);
      this.print(answer, () => done() + failed);
    } else if (wait) await this.watch(fleet, answer.job_id);
    else
      this.print(
        answer,
        () => `Queued as job ${answer.job_id}. To watch it, run: sitefleet jobs watch ${answer.job_id}\n`,
      );
  }

  async watch(fleet: Sitefleet, jobId: string): Promise<void> {
    const isShown = this.options.progress !== false && !this.options.json;
    const bar = new ProgressBar(this.environment.err, isShown);
    if (isShown && this.environment.err.isTerminal)
      this.environment.err.write(`Watching job ${jobId}. Ctrl-C ends the watching; the job continues.\n`);
    let ended: JobRead;
    try {
      const timeout = this.options.timeout === undefined ? {} : { timeoutMs: this.options.timeout * 1000 };
      ended = await fleet.waitForJob(jobId, { ...this.call, ...timeout, onProgress: (job) => bar.show(job) });
    } finally {
      bar.clear();
    }
    const { data: job } = ended;
    if (job.succeeded < job.processed || job.status !== 'completed') this.exitCode = EXIT_CODES.itemsFailed;
    this.print(ended, () => describeJob(job) + this.rings(job));
    if (job.type === 'check') this.note(await this.#unreachableSites(fleet, jobId));
    if (this.options.json) return;
    if (job.type === 'update')
      await this.#listDetails('The skipped updates', async () => {
        const skipped = await this.#skippedUpdates(fleet, jobId);
        return skipped.length > 0 ? this.table(skipped, SKIPPED) : '';
      });
    if (job.succeeded < job.processed)
      await this.#listDetails('The failed items', async () => this.failures(await this.#failedItems(fleet, jobId)));
  }

  /** Writes details of a job that has ended. If they cannot be read, the exit code still tells how the job ended. */
  async #listDetails(what: string, read: () => Promise<string>): Promise<void> {
    try {
      this.note(await read());
    } catch (error) {
      if (!isCallError(error)) throw error;
      this.environment.err.write(`${what} could not be read: ${formatValue(error.message)}\n`);
    }
  }

  note(text: string): void {
    if (!this.options.json) this.environment.out.write(text);
  }

  rings({ rings = [] }: Job): string {
    return rings.length === 0 ? '' : this.table(rings, RING_COLUMNS);
  }

  async #failedItems(fleet: Sitefleet, jobId: string): Promise<FailedItem[]> {
    const { errors } = await fleet.ability('get-batch-job-status-v1', { job_id: jobId }, this.call);
    const own = errors.filter(({ code }) => code !== RING_STOPPED);
    return own.map((each) => ({ ...each, identifier: each.site_url ?? each.identifier }));
  }

  /** Lists the checked sites that did not respond. The job counts their items as succeeded. */
  async #unreachableSites(fleet: Sitefleet, jobId: string): Promise<string> {
    const sites: CheckedSite[] = [];
    for await (const { result } of this.#items(fleet, jobId)) if (result?.reachable === false) sites.push(result);
    if (sites.length === 0) return '';
    this.exitCode = EXIT_CODES.itemsFailed;
    return this.table(sites, NOT_REACHABLE);
  }

  async #skippedUpdates(fleet: Sitefleet, jobId: string): Promise<SkippedUpdate[]> {
    const skipped: SkippedUpdate[] = [];
    for await (const { result } of this.#items(fleet, jobId)) skipped.push(...(result?.skipped ?? []));
    return skipped;
  }

  #items(fleet: Sitefleet, jobId: string): AsyncGenerator<JobItem> {
    return fleet.items('jobs_get', { path: { job_id: jobId }, query: { per_page: 100 } }, this.call);
  }

  get #width(): number | undefined {
    const { out } = this.environment;
    return out.isTerminal ? out.columns : undefined;
  }

  get #isColored(): boolean {
    const { out, env } = this.environment;
    return out.isTerminal && this.options.color !== false && !env['NO_COLOR'];
  }
}
