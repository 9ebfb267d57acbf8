import { isAxiosError } from 'axios';
import * as abilities from './abilities/index';
import * as v2 from './v2/index';

const { SITEFLEET_URL, SITEFLEET_USER, SITEFLEET_PASSWORD, SITEFLEET_API_KEY } = process.env;
const configuration = new v2.Configuration({ basePath: `${SITEFLEET_URL}/api/v2`, accessToken: SITEFLEET_API_KEY });
const sites = new v2.SitesApi(configuration);
const tags = new v2.TagsApi(configuration);

const { data: first } = await sites.sitesList({ perPage: 2 });
const { data: second } = await sites.sitesList({ perPage: 2, page: 2 });
console.log(`${first.total} sites`);
for (const { page, data } of [first, second]) console.log(`page ${page}: ${data.map(({ id }) => id).join(', ')}`);

const { data: byId } = await sites.sitesGet({ idOrDomain: '1' });
const domain = new URL(byId.data.url).host;
const { data: byDomain } = await sites.sitesGet({ idOrDomain: domain });
console.log(`by ID: ${byId.data.id}`);
console.log(`by domain: ${byDomain.data.id}`);

const tag = { name: 'care plan', color: '#1a73e8' };
const { data: added } = await tags.tagsAdd({ tagAdd: tag });
try {
  await tags.tagsAdd({ tagAdd: tag });
} catch (error) {
  if (!isAxiosError<v2.ApiError>(error)) throw error;
  console.log(error.response?.status, error.response?.data.code);
}
const { data: edited } = await tags.tagsEdit({ tagId: added.data.id, tagEdit: { color: null } });
console.log(`color: ${edited.data.color}`);

const ability = new abilities.SitesApi(
  new abilities.Configuration({
    basePath: `${SITEFLEET_URL}/abilities/v1`,
    username: SITEFLEET_USER,
    password: SITEFLEET_PASSWORD,
  }),
);
const { data: site } = await ability.getSiteV1({ getSiteBody: { input: { site_id_or_domain: domain } } });
console.log(`ability: ${site.id}`);

const { data: csv } = await new v2.TimeTrackerApi(configuration).timeTrackerTasksExport();
console.log(`csv: ${csv.split(',')[0]}`);
// Without the option axios reads a PDF as text, which changes its bytes.
const preview = { templateKey: 'care-plan', startDate: '2026-11-01', endDate: '2026-11-30', format: 'pdf' } as const;
const { data: pdf } = await new v2.ReportTemplatesApi(configuration).reportTemplatesPreview(preview, {
  responseType: 'arraybuffer',
});
console.log(`pdf: ${(pdf as unknown as ArrayBuffer).byteLength} bytes`);

const jobs = new v2.JobsApi(configuration);
const { data: started } = await new v2.SchedulesApi(configuration).schedulesRun({ name: 'daily-sync' });
const jobId = started.data?.job_id ?? '';
let job = await jobs.jobsGet({ jobId });
while (job.data.data.completed_at === null) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  job = await jobs.jobsGet({ jobId });
}
console.log(`job: ${job.data.data.status}`);
console.log(`unknown type: ${job.data.data.type}`);
