/** Reads lists item by item or page by page. The SDK requests the next page when it is needed. */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

// For an ability, pass its input. For a route, pass `path`, `query` and `body`.
let sites = 0;
for await (const site of fleet.items('list-sites-v1', { per_page: 2 })) {
  sites += 1;
  console.log(site.id, site.url);
}
for await (const page of fleet.pages('sites_list', { query: { per_page: 2, status: 'connected' } }))
  console.log(`page ${page.page} of ${page.pages}: ${page.data.map(({ name }) => name).join(', ')}`);

// The SDK requests no further page after `break`.
for await (const change of fleet.items('changes_list', { query: { per_page: 1 } })) {
  console.log('newest change:', change.type);
  break;
}
console.log(`${sites} sites`);
