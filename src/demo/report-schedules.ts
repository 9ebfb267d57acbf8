import { ALL_SITES } from '../shared/site-scope.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from '../service/container.ts';
import { ALL_REPORTS, type NewReportSchedule, type ReportActor } from '../domains/report-schedules/index.ts';

const EVERY_MONDAY = { frequency: 'weekly', day: 1, time: '08:00', format: 'pdf', active: true } as const;
const USUAL = { segments: null, recipients: [], subject: null } as const;
const DEMO: ReportActor = { name: 'demo', sites: ALL_SITES, userId: 0, keyId: null, permissions: new Set() };
const WAIT_MS = 60_000;

/** Schedules a weekly and a monthly report of a client. The report of last month is generated immediately. */
export async function demoReportSchedules({ services }: Container): Promise<void> {
  const { reportSchedules, sites } = services;
  const site = (await sites.list.all(ALL_SITES, {})).find(({ clientId }) => clientId !== null);
  if (!site?.clientId) return;
  const add = (schedule: NewReportSchedule) => reportSchedules.schedules.create(schedule, DEMO);
  await add({ ...USUAL, ...EVERY_MONDAY, name: 'Every week', siteId: site.id });
  const { id } = await add({
    ...{ ...USUAL, ...EVERY_MONDAY, frequency: 'monthly' },
    ...{ name: 'All sites, every month', clientId: site.clientId, subject: '{site}: what we did in {period}' },
  });
  const report = await reportSchedules.schedules.run(id, {}, DEMO);
  for (let waited = 0; waited < WAIT_MS; waited += 200) {
    if ((await reportSchedules.reports.get(ALL_REPORTS, report.id)).state !== 'queued') return;
    await sleep(200);
  }
}
