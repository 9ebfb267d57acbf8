import type { RegistrationResult } from '../child-site.ts';
import { decodeStats, decodeReconnectToken } from './stats.ts';
import { asObject, readField, readHttpUrl, readTextOrNull } from './json-values.ts';

export function decodeRegistration(value: unknown): RegistrationResult | null {
  const answer = asObject(value);
  const stats = decodeStats(answer);
  if (readField(answer, 'register') !== 'OK' || !stats) return null;
  return {
    uniqueId: readTextOrNull(readField(answer, 'uniqueId'), 255),
    regverify: decodeReconnectToken(readField(answer, 'regverify')),
    siteUrl: readHttpUrl(readField(answer, 'siteurl')),
    stats,
  };
}
