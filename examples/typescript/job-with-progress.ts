/** Waits for a job and prints its progress. Requests for more than 200 sites, and some routes, return a job. */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const started = await fleet.ability('sync-sites-v1');
const [newest] = (await fleet.route('jobs_list', { query: { per_page: 1 } })).data;
const job = await fleet.waitForJob('job_id' in started ? started : newest!, {
  onProgress: ({ type, processed, total }) => console.log(`${type}: ${processed} of ${total}`),
  timeoutMs: 600_000,
});
console.log(`${job.data.status}: ${job.data.succeeded} went well, ${job.data.failed} failed`);
for (const { identifier, message } of job.errors) console.log(identifier, message);
