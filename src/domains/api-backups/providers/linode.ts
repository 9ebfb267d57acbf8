import { valueAt, listAt, newestTimeOf, textAt, textsAt, parseProviderTime } from '../response-readers.ts';
import { bearerHeader, MAX_PAGES, type Provider } from '../provider.ts';

const backupTimeOf = (backup: unknown): number | null =>
  textAt(backup, 'status') === 'successful'
    ? parseProviderTime(textAt(backup, 'finished') || textAt(backup, 'created'))
    : null;

export const linode: Provider = {
  slug: 'linode',
  label: 'Linode',
  secret: 'api_key',
  fields: [],
  base: () => 'https://api.linode.com/v4',
  async listInstances(ask, account) {
    const headers = bearerHeader(account);
    const instances: unknown[] = [];
    for (let page = 1, pages = 1; page <= Math.min(pages, MAX_PAGES); page++) {
      const answer = await ask(`/linode/instances?page=${page}&page_size=100`, headers);
      instances.push(...listAt(answer, 'data'));
      pages = Number(textAt(answer, 'pages')) || 1;
    }
    return instances.map((instance) => ({
      // Linode appends the prefix length to an IPv6 address.
      addresses: [...textsAt(instance, 'ipv4'), textAt(instance, 'ipv6').replace(/\/\d+$/, '')],
      hosts: [],
      latestBackup: async () => {
        const answer = await ask(`/linode/instances/${encodeURIComponent(textAt(instance, 'id'))}/backups`, headers);
        const backups = [...listAt(answer, 'automatic'), valueAt(answer, 'snapshot', 'current')];
        return newestTimeOf(backups.map(backupTimeOf));
      },
    }));
  },
};
