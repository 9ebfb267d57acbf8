import { valueAt, listAt, newestTimeOf, textAt, parseProviderTime } from '../response-readers.ts';
import { bearerHeader, MAX_PAGES, type FetchJson, type Provider } from '../provider.ts';

type AuthHeaders = Record<string, string>;

async function fetchAllPages(ask: FetchJson, headers: AuthHeaders, path: string, name: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await ask(`${path}?per_page=200&page=${page}`, headers);
    all.push(...listAt(answer, name));
    if (typeof valueAt(answer, 'links', 'pages', 'next') !== 'string') break;
  }
  return all;
}

const creationTimesOf = (images: readonly unknown[]): (number | null)[] =>
  images.map((image) => parseProviderTime(textAt(image, 'created_at')));

export const digitalocean: Provider = {
  slug: 'digitalocean',
  label: 'DigitalOcean',
  secret: 'api_key',
  fields: [],
  base: () => 'https://api.digitalocean.com/v2',
  async listInstances(ask, account) {
    const headers = bearerHeader(account);
    const droplets = await fetchAllPages(ask, headers, '/droplets', 'droplets');
    return droplets.map((droplet) => {
      const path = `/droplets/${encodeURIComponent(textAt(droplet, 'id'))}`;
      const networks = [...listAt(droplet, 'networks', 'v4'), ...listAt(droplet, 'networks', 'v6')];
      return {
        addresses: networks.map((network) => textAt(network, 'ip_address')),
        hosts: [],
        latestBackup: async () =>
          newestTimeOf([
            ...creationTimesOf(await fetchAllPages(ask, headers, `${path}/backups`, 'backups')),
            ...creationTimesOf(await fetchAllPages(ask, headers, `${path}/snapshots`, 'snapshots')),
          ]),
      };
    });
  },
};
