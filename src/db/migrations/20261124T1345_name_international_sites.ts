import { domainToUnicode } from 'node:url';
import type { Migration } from './columns.ts';

interface SiteRow {
  id: number;
  url: string;
  url_key: string;
  name: string;
  name_key: string;
}

/**
 * Makes sites with an international host searchable by its Unicode form. A site that was added without a name gets the
 * Unicode form as its name.
 */
export const nameInternationalSites: Migration = {
  name: '20261124T1345_name_international_sites',
  async up(knex) {
    const rows = await knex('sites')
      .where('url_key', 'like', '%xn--%')
      .select<SiteRow[]>('id', 'url', 'url_key', 'name', 'name_key');
    for (const row of rows) {
      const label = row.url.replace(/^https?:\/\//, '').replace(/\/$/, '');
      const name = row.name === label ? toUnicodeAddress(label) : row.name;
      const name_key = siteNameKeyOf(name, row.url_key);
      if (name === row.name && name_key === row.name_key) continue;
      const revision = knex.raw('revision + 1');
      await knex('sites').where({ id: row.id }).update({ name, name_key, revision });
    }
    await knex('revisions').where({ name: 'sites' }).increment('value', 1);
  },
  // The release before reads such names as well.
  down: () => Promise.resolve(),
};

// Copied from the code of sites, because a migration must not change when that code does.

function toUnicodeAddress(address: string): string {
  const [host = ''] = address.split(/[:/]/, 1);
  const readable = host.includes('xn--') ? domainToUnicode(host) : '';
  return readable === '' ? address : readable + address.slice(host.length);
}

const toNameKey = (text: string): string =>
  Array.from(text.trim().toLowerCase().normalize('NFC')).slice(0, 255).join('');

function siteNameKeyOf(name: string, urlKey: string): string {
  const [key, address] = [toNameKey(name), toUnicodeAddress(urlKey)];
  return address === urlKey || key.includes(toNameKey(address)) ? key : toNameKey(`${key} ${address}`);
}
