import type { Command as Commander } from 'commander';
import type { AnswerOf, Job, JobStatusFilter, JobTypeFilter, Sitefleet } from '../../sdk/index.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { parseCount, type AddCommand } from '../options.ts';
import { formatUnsuccessfulCounts } from '../progress-bar.ts';
import { formatValue, type Column } from '../table.ts';
import { takeFirst } from '../take-first.ts';

export function jobCommands(program: Commander, add: AddCommand): void {
  const jobs = program.command('jobs').description('jobs that process several sites');

  add(jobs, 'list', 'list jobs, newest first', async (command, _words, options) => {
    const { status, type, limit } = options as { status?: JobStatusFilter; type?: JobTypeFilter; limit: number };
    const fleet = await command.fleet();
    const query = { per_page: Math.min(limit, 100), ...(status && { status }), ...(type && { type }) };
    command.list(await takeFirst(fleet.items('jobs_list', { query }, command.call), limit), [
      { title: 'job', of: ({ job_id }) => job_id, narrow: 'keep' },
      { title: 'status', of: (job) => job.status },
      { title: 'done', of: ({ processed, total }) => `${processed} of ${total}` },
      { title: 'succeeded', of: ({ succeeded }) => succeeded },
      { title: 'failed', of: ({ failed }) => failed },
      {
        title: 'other',
        of: ({ failed: _, ...job }) => formatUnsuccessfulCounts({ ...job, failed: 0 }).join(', ') || null,
      },
      { title: 'created', of: ({ created_at }) => created_at, narrow: 'keep' },
    ]);
  })
    .option('--status <status>', 'status: queued, processing, completed, failed or cancelled')
    .option('--type <type>', 'type, such as sync, check or update')
    .option('--limit <number>', 'maximum number of jobs', parseCount, 50);

  add(jobs, 'get <job>', 'show a job, its items and their errors', async (command, [job_id = ''], { limit }) => {
    const fleet = await command.fleet();
    const { items, ...answer } = await readJob(fleet, command, job_id, limit as number);
    const { rings: _, ...job } = answer.data;
    if (answer.errors.length > 0) command.exitCode = EXIT_CODES.itemsFailed;
    const left = answer.total - items.length;
    const more = left > 0 ? `${left} more items. To see them, pass --limit ${answer.total}.\n` : '';
    command.print(
      { ...answer, items },
      () => command.fields(job) + command.rings(answer.data) + command.table(items, itemColumns(answer.data)) + more,
    );
  }).option('--limit <number>', 'maximum number of items', parseCount, 100);

  add(jobs, 'watch <job>', 'wait until a job has ended', async (command, [id = '']) => {
    await command.watch(await command.fleet(), id);
  });

  add(jobs, 'cancel <job>', 'cancel a job', async (command, [job_id = '']) => {
    const fleet = await command.fleet();
    const answer = await fleet.route('jobs_cancel', { path: { job_id } }, command.call);
    command.print(answer, () => `${formatValue(answer.message)}\n`);
  });

  add(
    jobs,
    'retry <job>',
    'retry the items of a job that did not succeed',
    async (command, [job_id = ''], { wait }) => {
      const fleet = await command.fleet();
      const answer = await fleet.route('jobs_retry_failed', { path: { job_id } }, command.call);
      if (wait !== false) await command.watch(fleet, answer.data.job_id);
      else command.print(answer, () => `Queued as job ${answer.data.job_id}.\n`);
    },
  ).option('--no-wait', 'do not wait for the new job');
}

type JobAnswer = AnswerOf<'jobs_get'>;
type JobItem = JobAnswer['items'][number];

async function readJob(
  fleet: Sitefleet,
  command: CommandContext,
  job_id: string,
  limit: number,
): Promise<Omit<JobAnswer, 'page' | 'per_page' | 'pages'>> {
  const items: JobItem[] = [];
  for (let page = 1; ; page++) {
    const query = { page, per_page: PAGE };
    const answer = await fleet.route('jobs_get', { path: { job_id }, query }, command.call);
    items.push(...answer.items);
    if (items.length < limit && page < answer.pages) continue;
    const { page: _page, per_page: _size, pages: _pages, ...rest } = answer;
    return { ...rest, items: items.slice(0, limit) };
  }
}

const PAGE = 100;

const itemColumns = ({ rings = [] }: Job): Column<JobItem>[] => [
  { title: 'item', of: ({ identifier }) => identifier, narrow: 'keep' },
  ...(rings.length > 0 ? [{ title: 'ring', of: ({ ring }: JobItem) => ring }] : []),
  { title: 'state', of: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'code', of: ({ error }) => error?.code, narrow: 'keep' },
  { title: 'error', of: ({ error }) => error?.message, narrow: 'wrap' },
];
