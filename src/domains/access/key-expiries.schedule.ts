import type { Schedule } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { AccessReadModel } from './access-read-model.ts';

/** Numbers of days before the expiry of a key at which mails are sent, the largest first. */
const NOTICES = [7, 1] as const;

/**
 * Raises one alert per API key, expiry time and notice. The `key` of an alert contains the expiry time, so a key whose
 * expiry is changed is announced again. A key that gets an expiry within one day is announced only once.
 */
export const keyExpirySchedule = (clock: Clock, alerts: Alerts): Schedule => ({
  name: 'key-expiries',
  description: 'Sends mails about API keys that expire within seven days, and again within one day.',
  timing: () => ({ pattern: '7 * * * *', timeZone: 'UTC' }),
  begin: async ({ scope: { trx } }) => {
    const now = clock.now();
    for (const key of await new AccessReadModel(trx).expiring(now, now + NOTICES[0] * DAY)) {
      const left = (key.expiresAt ?? now) - now;
      const notice = NOTICES.findLast((days) => left <= days * DAY) ?? NOTICES[0];
      await alerts.raise(trx, {
        type: 'api_key_expiry',
        key: `api_key_expiry:${key.id}:${key.expiresAt}:${notice}`,
        site: null,
        facts: {
          ...{ keyId: key.id, label: key.label, hint: key.hint, user: key.userName },
          ...{ expiresAt: key.expiresAt ?? now, daysLeft: Math.floor(left / DAY) },
        },
      });
    }
    return null;
  },
});
