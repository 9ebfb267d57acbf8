import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });
const answer = await fleet.ability('sync-sites-v1');
if ('job_id' in answer) await fleet.waitForJob(answer);
for await (const site of fleet.items('list-sites-v1', { status: 'connected' })) console.log(site.name, site.url);
