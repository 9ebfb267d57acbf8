import { listAt, newestTimeOf, textAt, parseProviderTime } from '../response-readers.ts';
import { bearerHeader, MAX_PAGES, type FetchJson, type Provider } from '../provider.ts';

async function fetchAllPages(
  ask: FetchJson,
  headers: Record<string, string>,
  { name, filter = {} }: { name: string; filter?: Record<string, string> },
): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor = '';
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = new URLSearchParams({ ...filter, per_page: '500', ...(cursor ? { cursor } : {}) });
    const answer = await ask(`/${name}?${query.toString()}`, headers);
    all.push(...listAt(answer, name));
    cursor = textAt(answer, 'meta', 'links', 'next');
    if (cursor === '') break;
  }
  return all;
}

export const vultr: Provider = {
  slug: 'vultr',
  label: 'Vultr',
  secret: 'api_key',
  fields: [],
  base: () => 'https://api.vultr.com/v2',
  async listInstances(ask, account) {
    const headers = bearerHeader(account);
    const instances = await fetchAllPages(ask, headers, { name: 'instances' });
    return instances.map((instance) => ({
      addresses: [textAt(instance, 'main_ip'), textAt(instance, 'v6_main_ip')],
      hosts: [],
      latestBackup: async () => {
        const filter = { instance_id: textAt(instance, 'id') };
        const backups = await fetchAllPages(ask, headers, { name: 'backups', filter });
        const complete = backups.filter((backup) => textAt(backup, 'status') === 'complete');
        return newestTimeOf(complete.map((backup) => parseProviderTime(textAt(backup, 'date_created'))));
      },
    }));
  },
};
