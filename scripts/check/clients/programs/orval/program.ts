import axios, { isAxiosError } from 'axios';
import * as abilities from './abilities/client';
import * as v2 from './v2/client';

const { SITEFLEET_URL, SITEFLEET_USER, SITEFLEET_PASSWORD, SITEFLEET_API_KEY } = process.env;
const routes = v2.getSitefleetRESTV2(
  axios.create({
    baseURL: `${SITEFLEET_URL}/api/v2`,
    headers: { authorization: `Bearer ${SITEFLEET_API_KEY}` },
    // Without it axios sends lists as `include[]=1`.
    paramsSerializer: { indexes: null },
  }),
);

const { data: first } = await routes.sitesList({ per_page: 2 });
const { data: second } = await routes.sitesList({ per_page: 2, page: 2 });
console.log(`${first.total} sites`);
for (const { page, data } of [first, second]) console.log(`page ${page}: ${data.map(({ id }) => id).join(', ')}`);

const { data: byId } = await routes.sitesGet('1');
const domain = new URL(byId.data.url).host;
const { data: byDomain } = await routes.sitesGet(domain);
console.log(`by ID: ${byId.data.id}`);
console.log(`by domain: ${byDomain.data.id}`);

const tag = { name: 'care plan', color: '#1a73e8' };
const { data: added } = await routes.tagsAdd(tag);
try {
  await routes.tagsAdd(tag);
} catch (error) {
  if (!isAxiosError<v2.ApiError>(error)) throw error;
  console.log(error.response?.status, error.response?.data.code);
}
const { data: edited } = await routes.tagsEdit(added.data.id, { color: null });
console.log(`color: ${edited.data.color}`);

const ability = abilities.getSitefleetAbilities(
  axios.create({
    baseURL: `${SITEFLEET_URL}/abilities/v1`,
    auth: { username: SITEFLEET_USER ?? '', password: SITEFLEET_PASSWORD ?? '' },
  }),
);
const { data: site } = await ability.getSiteV1({ input: { site_id_or_domain: domain } });
console.log(`ability: ${site.id}`);

const { data: csv } = await routes.timeTrackerTasksExport();
console.log(`csv: ${csv.split(',')[0]}`);
// Without it axios reads a PDF as text, which changes its bytes.
const { data: pdf } = await routes.reportTemplatesPreview(
  'care-plan',
  { start_date: '2026-11-01', end_date: '2026-11-30', format: 'pdf' },
  { responseType: 'arraybuffer' },
);
console.log(`pdf: ${(pdf as unknown as ArrayBuffer).byteLength} bytes`);

const { data: started } = await routes.schedulesRun('daily-sync');
const jobId = started.data?.job_id ?? '';
let job = await routes.jobsGet(jobId);
while (job.data.data.completed_at === null) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  job = await routes.jobsGet(jobId);
}
console.log(`job: ${job.data.data.status}`);
console.log(`unknown type: ${job.data.data.type}`);
