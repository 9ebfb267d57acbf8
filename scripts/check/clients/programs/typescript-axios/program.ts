import { isAxiosError } from 'axios';
import * as abilities from './abilities/index';
import * as v2 from './v2/index';

const { SITEFLEET_URL, SITEFLEET_USER, SITEFLEET_PASSWORD, SITEFLEET_API_KEY } = process.env;
const configuration = new v2.Configuration({ basePath: `${SITEFLEET_URL}/api/v2`, accessToken: SITEFLEET_API_KEY });
const sites = new v2.SitesApi(configuration);
const tags = new v2.TagsApi(configuration);

const { data: first } = await sites.sitesList(1, 2);
const { data: second } = await sites.sitesList(2, 2);
console.log(`${first.total} sites`);
for (const { page, data } of [first, second]) console.log(`page ${page}: ${data.map(({ id }) => id).join(', ')}`);

const { data: byId } = await sites.sitesGet('1');
const domain = new URL(byId.data.url).host;
const { data: byDomain } = await sites.sitesGet(domain);
console.log(`by ID: ${byId.data.id}`);
console.log(`by domain: ${byDomain.data.id}`);

const tag = { name: 'care plan', color: '#1a73e8' };
const { data: added } = await tags.tagsAdd(tag);
try {
  await tags.tagsAdd(tag);
} catch (error) {
  if (!isAxiosError<v2.ApiError>(error)) throw error;
  console.log(error.response?.status, error.response?.data.code);
}
const { data: edited } = await tags.tagsEdit(added.data.id, { color: null });
console.log(`color: ${edited.data.color}`);

const ability = new abilities.SitesApi(
  new abilities.Configuration({
    basePath: `${SITEFLEET_URL}/abilities/v1`,
    username: SITEFLEET_USER,
    password: SITEFLEET_PASSWORD,
  }),
);
const { data: site } = await ability.getSiteV1({ input: { site_id_or_domain: domain } });
console.log(`ability: ${site.id}`);
