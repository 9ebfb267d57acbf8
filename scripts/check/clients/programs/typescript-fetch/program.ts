import * as abilities from './abilities/index';
import * as v2 from './v2/index';

const { SITEFLEET_URL, SITEFLEET_USER, SITEFLEET_PASSWORD, SITEFLEET_API_KEY } = process.env;
const configuration = new v2.Configuration({ basePath: `${SITEFLEET_URL}/api/v2`, accessToken: SITEFLEET_API_KEY });
const sites = new v2.SitesApi(configuration);
const tags = new v2.TagsApi(configuration);

const first = await sites.sitesList({ perPage: 2 });
const second = await sites.sitesList({ perPage: 2, page: 2 });
console.log(`${first.total} sites`);
for (const { page, data } of [first, second]) console.log(`page ${page}: ${data.map(({ id }) => id).join(', ')}`);

const byId = await sites.sitesGet({ idOrDomain: '1' });
const domain = new URL(byId.data.url).host;
const byDomain = await sites.sitesGet({ idOrDomain: domain });
console.log(`by ID: ${byId.data.id}`);
console.log(`by domain: ${byDomain.data.id}`);

const tag = { name: 'care plan', color: '#1a73e8' };
const added = await tags.tagsAdd({ tagAdd: tag });
try {
  await tags.tagsAdd({ tagAdd: tag });
} catch (error) {
  if (!(error instanceof v2.ResponseError)) throw error;
  const { code } = v2.ApiErrorFromJSON(await error.response.json());
  console.log(error.response.status, code);
}
const edited = await tags.tagsEdit({ tagId: added.data.id, tagEdit: { color: null } });
console.log(`color: ${edited.data.color}`);

const ability = new abilities.SitesApi(
  new abilities.Configuration({
    basePath: `${SITEFLEET_URL}/abilities/v1`,
    username: SITEFLEET_USER,
    password: SITEFLEET_PASSWORD,
  }),
);
const site = await ability.getSiteV1({ getSiteBody: { input: { siteIdOrDomain: domain } } });
console.log(`ability: ${site.id}`);

const csv = await new v2.TimeTrackerApi(configuration).timeTrackerTasksExport();
console.log(`csv: ${csv.split(',')[0]}`);
// The method without `Raw` reads a PDF as text, which changes its bytes.
const preview = { startDate: new Date('2026-11-01'), endDate: new Date('2026-11-30'), format: 'pdf' } as const;
const { raw } = await new v2.ReportTemplatesApi(configuration).reportTemplatesPreviewRaw({
  ...preview,
  templateKey: 'care-plan',
});
console.log(`pdf: ${(await raw.arrayBuffer()).byteLength} bytes`);

const jobs = new v2.JobsApi(configuration);
const started = await new v2.SchedulesApi(configuration).schedulesRun({ name: 'daily-sync' });
const jobId = started.data?.jobId ?? '';
let job = await jobs.jobsGet({ jobId });
while (job.data.completedAt === null) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  job = await jobs.jobsGet({ jobId });
}
console.log(`job: ${job.data.status}`);
console.log(`unknown type: ${job.data.type}`);
