import { ALL_SITES } from '../shared/site-scope.ts';
import type { Container } from '../service/container.ts';
import type { NewReportSchedule, ReportActor } from '../domains/report-schedules/index.ts';

const EVERY_MONDAY = { frequency: 'weekly', day: 1, time: '08:00', format: 'pdf', active: true } as const;
const USUAL = { segments: null, recipients: [], subject: null } as const;
const DEMO: ReportActor = { name: 'demo', sites: ALL_SITES, userId: 0, keyId: null, permissions: new Set() };
const WAIT_MS = 60_000;

/** The returned function waits until the report of last month is made. */
export async function beginDemoReport({ services, queue }: Container): Promise<() => Promise<unknown>> {
  const { reportSchedules, sites } = services;
  const site = (await sites.list.all(ALL_SITES, {})).find(({ clientId }) => clientId !== null);
  if (!site?.clientId) return () => Promise.resolve();
  const add = (schedule: NewReportSchedule) => reportSchedules.schedules.create(schedule, DEMO);
  await add({ ...USUAL, ...EVERY_MONDAY, name: 'Every week', siteId: site.id });
  const { id } = await add({
    ...{ ...USUAL, ...EVERY_MONDAY, frequency: 'monthly' },
    ...{ name: 'All sites, every month', clientId: site.clientId, subject: '{site}: what we did in {period}' },
  });
  const { jobId } = await reportSchedules.schedules.run(id, {}, DEMO);
  return () => (jobId === null ? Promise.resolve() : queue.waitFor(jobId, WAIT_MS));
}
