import { DAY, toDate } from '../../../src/shared/clock.ts';
import type { BenchService } from '../processes.ts';
import * as scale from './scale.ts';
import { isSuccess, send, settleJob, type ServiceReply } from './service-calls.ts';

export type WorkResult = Pick<ServiceReply, 'status' | 'json'>;
export type Work = (service: BenchService) => Promise<WorkResult>;

const RETENTION_MS = 300_000;
const WHOLE_SYNC_MS = 300_000;
/** Each poll counts the items of the job. */
const POLL_MS = 500;

/** Starts a job and waits for it. `toItsEnd` is false if the job may be canceled after `forMs`. */
async function runJob(service: BenchService, path: string, forMs: number, toItsEnd: boolean): Promise<WorkResult> {
  const started = await send(service, { method: 'POST', path });
  const { job_id: id } = (started.json?.['data'] ?? started.json ?? {}) as { job_id?: string };
  if (!isSuccess(started) || !id) return started;
  const hasEnded = await settleJob(service, id, forMs, POLL_MS);
  return toItsEnd && !hasEnded ? { status: 0, json: { code: `not done after ${forMs / 1_000} s` } } : started;
}

const get = (service: BenchService, path: string): Promise<WorkResult> => send(service, { method: 'GET', path });
const remove =
  (path: string): Work =>
  (service) =>
    send(service, { method: 'DELETE', path: `/api/v2${path}` });

const month = `start_date=${toDate(Date.now() - 31 * DAY)}&end_date=${toDate(Date.now() - DAY)}`;
const clientReport = `/api/v2/clients/${scale.BUSY_CLIENT}/pro-reports?${month}`;

/** Reads that no single call of the contract shows. They are repeated like calls. */
export const repeatableWorks: Record<string, Work> = {
  'contract as YAML': (service) => get(service, '/openapi/v2.yaml'),
  'contract as JSON': (service) => get(service, '/openapi/v2.json'),
  'five exports of tasks': async (service) => {
    const each = (): Promise<WorkResult> => get(service, '/api/v2/time-tracker/tasks/export');
    const [first, ...others] = await Promise.all([each(), each(), each(), each(), each()]);
    return others.find((reply) => !isSuccess(reply)) ?? first;
  },
  'report of 500 sites': (service) => get(service, clientReport),
  'report of 500 sites as HTML': (service) => get(service, `${clientReport}&format=html`),
};

export const syncAllSites: Work = (service) => runJob(service, '/api/v2/sites/sync', WHOLE_SYNC_MS, true);

/** Work that cannot be done twice. The deletions come last, because they take away what the others need. */
export const singleWorks: Record<string, Work> = {
  'enqueueing of 100,000 items': (service) =>
    runJob(service, `/api/v2/jobs/${scale.FAILED_JOB}/retry-failed`, 0, false),
  'retention and pruning': (service) => runJob(service, '/api/v2/schedules/retention/run', RETENTION_MS, true),
  'deletion of the client with 500 sites': remove(`/clients/${scale.BUSY_CLIENT}/remove`),
  'deletion of the tag of all sites': remove(`/tags/${scale.COMMON_TAG}/remove`),
  'deletion of the site with 100,000 changes': remove(`/sites/${scale.BUSY_SITE}/remove`),
};
