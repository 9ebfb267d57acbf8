import { createClient } from './clients.ts';
import { checkResponse } from './contract-check.ts';
import type { World } from './world.ts';

const BASE = '/api/v2/report-schedules';

/** Creates a report schedule. Returns the record. */
export const addReportSchedule = async (world: World, body: object) =>
  (
    await world.request('POST', `${BASE}/add`, {
      body: {
        ...{ name: 'Monthly report', frequency: 'monthly', format: 'html', recipients: ['ann@example.com'] },
        ...{ hold_first_report: false, ...body },
      },
    })
  ).body.data;

export const readReportSchedule = async (world: World, id: number) =>
  (await world.request('GET', `${BASE}/${id}`)).body.data;

export const listReportSchedules = async (world: World, query = '') =>
  (await world.request('GET', `${BASE}?per_page=100${query}`)).body.data;

export const editReportSchedule = async (world: World, id: number, body: object) =>
  (await world.request('PUT', `${BASE}/${id}/edit`, { body })).body.data;

export const readReport = async (world: World, id: number) =>
  (await world.request('GET', `/api/v2/reports/${id}`)).body.data;

export const listReports = async (world: World, query = '') =>
  (await world.request('GET', `/api/v2/reports?per_page=100${query}`)).body.data;

/** Generates the report of a schedule and waits for it. Returns the record. */
export async function makeReport(world: World, scheduleId: number) {
  const { body } = await world.request('POST', `${BASE}/${scheduleId}/run`);
  await world.finishedJob(body.data.job_id as string);
  return readReport(world, body.data.id as number);
}

/** Returns a file of a report with its headers. */
export async function readFile(world: World, path: string) {
  const address = `/api/v2${path}`;
  const answer = await world
    .agent()
    .get(address)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    });
  checkResponse('GET', address, answer.status, answer.body);
  return answer;
}

/** Creates a client that has an address and owns these sites. */
export async function createClientWithSites(
  world: World,
  name: string,
  email: string,
  ...siteIds: number[]
): Promise<number> {
  const client = await createClient(world, name, email === '' ? {} : { client_email: email });
  for (const id of siteIds) await world.request('PUT', `/api/v2/sites/${id}/edit`, { body: { client_id: client } });
  return client;
}
