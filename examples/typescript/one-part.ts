/** Creates a client with two operations for a web page. The bundle contains no other operations. */
import { createClient } from '@sitefleet/sdk/core';
import { sites_get } from '@sitefleet/sdk/parts/sites';
import { list_tags_v1 } from '@sitefleet/sdk/parts/tags';

const fleet = createClient({
  url: process.env['SITEFLEET_URL']!,
  key: process.env['SITEFLEET_KEY'],
  operations: [sites_get, list_tags_v1],
});
const { data: site } = await fleet.route('sites_get', { path: { id_or_domain: 1 } });
const { total } = await fleet.ability('list-tags-v1');
console.log(`${site.name} is ${site.status}; there are ${total} tags`);
