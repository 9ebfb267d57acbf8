import { getSiteV1 } from './abilities';
import { createClient } from './abilities/client';
import {
  jobsGet,
  reportTemplatesPreview,
  schedulesRun,
  sitesGet,
  sitesList,
  tagsAdd,
  tagsEdit,
  timeTrackerTasksExport,
} from './v2';
import { client } from './v2/client.gen';

const { SITEFLEET_URL, SITEFLEET_USER, SITEFLEET_PASSWORD, SITEFLEET_API_KEY } = process.env;
client.setConfig({
  baseUrl: `${SITEFLEET_URL}/api/v2`,
  auth: ({ scheme }) => (scheme === 'bearer' ? SITEFLEET_API_KEY : undefined),
});

const { data: first } = await sitesList({ query: { per_page: 2 }, throwOnError: true });
const { data: second } = await sitesList({ query: { per_page: 2, page: 2 }, throwOnError: true });
console.log(`${first.total} sites`);
for (const { page, data } of [first, second]) console.log(`page ${page}: ${data.map(({ id }) => id).join(', ')}`);

const { data: byId } = await sitesGet({ path: { id_or_domain: '1' }, throwOnError: true });
const domain = new URL(byId.data.url).host;
const { data: byDomain } = await sitesGet({ path: { id_or_domain: domain }, throwOnError: true });
console.log(`by ID: ${byId.data.id}`);
console.log(`by domain: ${byDomain.data.id}`);

const tag = { name: 'care plan', color: '#1a73e8' };
const { data: added } = await tagsAdd({ body: tag, throwOnError: true });
const { error, response } = await tagsAdd({ body: tag });
if (error) console.log(response?.status, error.code);
const { data: edited } = await tagsEdit({
  path: { tag_id: added.data.id },
  body: { color: null },
  throwOnError: true,
});
console.log(`color: ${edited.data.color}`);

const ability = createClient({
  baseUrl: `${SITEFLEET_URL}/abilities/v1`,
  auth: ({ scheme }) => (scheme === 'basic' ? `${SITEFLEET_USER}:${SITEFLEET_PASSWORD}` : undefined),
});
const { data: site } = await getSiteV1({
  client: ability,
  body: { input: { site_id_or_domain: domain } },
  throwOnError: true,
});
console.log(`ability: ${site.id}`);

const { data: csv } = await timeTrackerTasksExport({ throwOnError: true });
console.log(`csv: ${csv.split(',')[0]}`);
const { data: pdf } = await reportTemplatesPreview({
  path: { template_key: 'care-plan' },
  query: { start_date: '2026-11-01', end_date: '2026-11-30', format: 'pdf' },
  parseAs: 'arrayBuffer',
  throwOnError: true,
});
console.log(`pdf: ${(pdf as unknown as ArrayBuffer).byteLength} bytes`);

const { data: started } = await schedulesRun({ path: { name: 'daily-sync' }, throwOnError: true });
const jobId = started.data?.job_id ?? '';
let job = await jobsGet({ path: { job_id: jobId }, throwOnError: true });
while (job.data.data.completed_at === null) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  job = await jobsGet({ path: { job_id: jobId }, throwOnError: true });
}
console.log(`job: ${job.data.data.status}`);
console.log(`unknown type: ${job.data.data.type}`);
