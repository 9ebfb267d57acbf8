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
