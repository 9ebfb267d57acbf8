import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { likePattern } from '../../db/dialect.ts';
import { MAX_NAME, nameKeyOf, searchKeyOf, truncate } from '../../shared/text.ts';
import { toUnicodeAddress } from './site-url.ts';

/**
 * Returns the text in which a site is searched by name. It contains the address too if its host has a Unicode form,
 * because the stored address has only the ASCII form.
 */
export function siteNameKeyOf(name: string, urlKey: string): string {
  const key = nameKeyOf(name);
  const address = toUnicodeAddress(urlKey);
  return address === urlKey || key.includes(nameKeyOf(address))
    ? key
    : truncate(`${key} ${nameKeyOf(address)}`, MAX_NAME);
}

export function whereSiteMatches(query: Knex.QueryBuilder, search: string | undefined): void {
  const text = search && searchKeyOf(search);
  if (!text) return;
  const pattern = likePattern(text);
  void longRead(query).where((either) => {
    void either.whereRaw(`sites.name_key like ? escape '!'`, [pattern]);
    // Addresses are ASCII, and MySQL refuses to compare an ASCII column with other characters.
    if (/^[ -~]*$/.test(pattern)) void either.orWhereRaw(`sites.url_key like ? escape '!'`, [pattern]);
  });
}
