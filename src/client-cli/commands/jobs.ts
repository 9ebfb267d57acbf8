import type { Command as Commander } from 'commander';
import type { JobStatusFilter } from '../../sdk/index.ts';
import { parseCount, type AddCommand } from '../options.ts';
import { formatValue, formatRecord } from '../table.ts';
import { takeFirst } from '../take-first.ts';

export function jobCommands(program: Commander, add: AddCommand): void {
  const jobs = program.command('jobs').description('jobs that process several sites');

  add(jobs, 'list', 'list jobs, newest first', async (command, _words, options) => {
    const { status, limit } = options as { status?: JobStatusFilter; limit: number };
    const fleet = await command.fleet();
    const query = { per_page: Math.min(limit, 100), ...(status && { status }) };
    command.list(await takeFirst(fleet.items('jobs_list', { query }, command.call), limit), [
      { title: 'job', of: ({ job_id }) => job_id, narrow: 'keep' },
      { title: 'status', of: (job) => job.status },
      { title: 'done', of: ({ processed, total }) => `${processed} of ${total}` },
      { title: 'succeeded', of: ({ succeeded }) => succeeded },
      { title: 'failed', of: ({ processed, succeeded }) => processed - succeeded },
      { title: 'created', of: ({ created_at }) => created_at },
    ]);
  })
    .option('--status <status>', 'status: queued, processing, completed, failed or cancelled')
    .option('--limit <number>', 'maximum number of jobs', parseCount, 50);

  add(jobs, 'get <job>', 'show a job', async (command, [job_id = '']) => {
    const fleet = await command.fleet();
    const answer = await fleet.route('jobs_get', { path: { job_id } }, command.call);
    const { rings: _, ...job } = answer.data;
    command.print(answer, () => formatRecord(job) + command.rings(answer.data));
  });

  add(
    jobs,
    'watch <job>',
    'wait until a job has ended; exits with code 1 if items did not succeed',
    async (command, [id = '']) => {
      await command.watch(await command.fleet(), id);
    },
  );

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
