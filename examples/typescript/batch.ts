/** Sends several changes in one request. The responses have the order of the items. */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const [{ id = 0 } = {}] = (await fleet.ability('list-sites-v1', { per_page: 1 })).items;
const answer = await fleet.route('batch_run', {
  body: { tags: { create: [{ name: 'shops' }, { name: 'care plan' }] }, sites: { sync: [id] } },
});
console.log(JSON.stringify(answer, null, 1));
