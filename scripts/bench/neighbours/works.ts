import { DAY, toDate } from '../../../src/shared/clock.ts';
import type { BenchService } from '../processes.ts';
import * as scale from './scale.ts';
import { send, settleJob } from './service-calls.ts';

const RETENTION_MS = 120_000;
const SYNC_MS = 15_000;

async function runJob(service: BenchService, path: string, forMs: number): Promise<number> {
  const { status, json } = await send(service, { method: 'POST', path });
  const { job_id: id } = (json?.['data'] ?? json ?? {}) as { job_id?: string };
  if (id) await settleJob(service, id, forMs);
  return status;
}

const month = `start_date=${toDate(Date.now() - 31 * DAY)}&end_date=${toDate(Date.now() - DAY)}`;
const read = async (service: BenchService, path: string): Promise<number> =>
  (await send(service, { method: 'GET', path })).status;
const clientReport = `/api/v2/clients/${scale.BUSY_CLIENT}/pro-reports?${month}`;

/** Work of the service that no single call of the contract shows. */
export const works: Record<string, (service: BenchService) => Promise<number>> = {
  'contract as YAML': (service) => read(service, '/openapi/v2.yaml'),
  'five exports of tasks': async (service) => {
    const each = (): Promise<number> => read(service, '/api/v2/time-tracker/tasks/export');
    return Math.max(...(await Promise.all([each(), each(), each(), each(), each()])));
  },
  'report of 500 sites': (service) => read(service, clientReport),
  'report of 500 sites as HTML': (service) => read(service, `${clientReport}&format=html`),
  'enqueueing of 100,000 items': (service) => runJob(service, `/api/v2/jobs/${scale.FAILED_JOB}/retry-failed`, 0),
  'retention and pruning': (service) => runJob(service, '/api/v2/schedules/retention/run', RETENTION_MS),
  'sync of 5,000 sites': (service) => runJob(service, '/api/v2/sites/sync', SYNC_MS),
};
