import type { Registered } from '../child-site.ts';
import { decodeStats, tokenOf } from './stats.ts';
import { asObject, field, httpUrl, textOrNull } from './values.ts';

export function decodeRegistered(value: unknown): Registered | null {
  const answer = asObject(value);
  const stats = decodeStats(answer);
  if (field(answer, 'register') !== 'OK' || !stats) return null;
  return {
    uniqueId: textOrNull(field(answer, 'uniqueId'), 255),
    regverify: tokenOf(field(answer, 'regverify')),
    siteUrl: httpUrl(field(answer, 'siteurl')),
    stats,
  };
}
