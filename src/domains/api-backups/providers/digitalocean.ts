import { at, listAt, newestOf, textAt, timeIn } from '../answers.ts';
import { bearer, MAX_PAGES, type Ask, type Provider } from '../provider.ts';

type Headers = Record<string, string>;

async function listed(ask: Ask, headers: Headers, path: string, name: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await ask(`${path}?per_page=200&page=${page}`, headers);
    all.push(...listAt(answer, name));
    if (typeof at(answer, 'links', 'pages', 'next') !== 'string') break;
  }
  return all;
}

const timesIn = (images: readonly unknown[]): (number | null)[] =>
  images.map((image) => timeIn(textAt(image, 'created_at')));

/** Backups and snapshots of droplets (API v2). */
export const digitalocean: Provider = {
  slug: 'digitalocean',
  label: 'DigitalOcean',
  secret: 'api_key',
  fields: [],
  base: () => 'https://api.digitalocean.com/v2',
  async backedUp(ask, account) {
    const headers = bearer(account);
    const droplets = await listed(ask, headers, '/droplets', 'droplets');
    return droplets.map((droplet) => {
      const path = `/droplets/${encodeURIComponent(textAt(droplet, 'id'))}`;
      const networks = [...listAt(droplet, 'networks', 'v4'), ...listAt(droplet, 'networks', 'v6')];
      return {
        addresses: networks.map((network) => textAt(network, 'ip_address')),
        hosts: [],
        latestBackup: async () =>
          newestOf([
            ...timesIn(await listed(ask, headers, `${path}/backups`, 'backups')),
            ...timesIn(await listed(ask, headers, `${path}/snapshots`, 'snapshots')),
          ]),
      };
    });
  },
};
