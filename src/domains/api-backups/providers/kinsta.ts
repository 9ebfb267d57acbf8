import { valueAt, listAt, newestTimeOf, textAt } from '../response-readers.ts';
import { bearerHeader, type Provider } from '../provider.ts';

/** Returns the time of a backup, which Kinsta sends in milliseconds since 1970. */
function backupTimeOf(backup: unknown): number | null {
  const time = valueAt(backup, 'created_at');
  return typeof time === 'number' && Number.isSafeInteger(time) && time > 0 ? time : null;
}

export const kinsta: Provider = {
  slug: 'kinsta',
  label: 'Kinsta',
  secret: 'api_key',
  fields: ['companyId'],
  base: () => 'https://api.kinsta.com/v2',
  async listInstances(ask, account) {
    const headers = bearerHeader(account);
    const query = new URLSearchParams({ company: account.companyId, include_environments: 'true' });
    const company = await ask(`/sites?${query.toString()}`, headers);
    const environments = listAt(company, 'company', 'sites').flatMap((site) => listAt(site, 'environments'));
    return environments.map((environment) => {
      const domains = [valueAt(environment, 'primaryDomain'), ...listAt(environment, 'domains')];
      return {
        addresses: [],
        hosts: domains.map((domain) => textAt(domain, 'name')),
        latestBackup: async () => {
          const id = encodeURIComponent(textAt(environment, 'id'));
          const answer = await ask(`/sites/environments/${id}/backups`, headers);
          return newestTimeOf(listAt(answer, 'environment', 'backups').map(backupTimeOf));
        },
      };
    });
  },
};
