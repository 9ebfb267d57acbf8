import { BackupProviderError } from '../../../shared/errors.ts';
import { valueAt, listAt, newestTimeOf, textAt, textsAt, parseProviderTime } from '../response-readers.ts';
import type { FetchJson, Provider } from '../provider.ts';

/** Some versions of UAPI, the API of cPanel, wrap the response in `result`. */
async function callUapi(ask: FetchJson, headers: Record<string, string>, name: string): Promise<unknown> {
  const answer = await ask(`/execute/${name}`, headers);
  const result = valueAt(answer, 'result') ?? answer;
  if (textAt(result, 'status') !== '1')
    throw new BackupProviderError('svc_backup_provider_failed', `UAPI rejected ${name}.`);
  return valueAt(result, 'data');
}

/** UAPI returns only the day of a backup, not its time. */
export const cpanel: Provider = {
  slug: 'cpanel',
  label: 'cPanel',
  secret: 'password',
  fields: ['url', 'username'],
  base: ({ url }) => url,
  async listInstances(ask, { username, secret }) {
    const headers = { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` };
    const domains = await callUapi(ask, headers, 'DomainInfo/list_domains');
    const others = ['addon_domains', 'parked_domains', 'sub_domains'].flatMap((kind) => textsAt(domains, kind));
    return [
      {
        addresses: [],
        hosts: [textAt(domains, 'main_domain'), ...others],
        latestBackup: async () => {
          const days = listAt(await callUapi(ask, headers, 'Backup/list_backups'));
          return newestTimeOf(days.map((day) => parseProviderTime(textAt(day))));
        },
      },
    ];
  },
};
