import type { Schedule } from '../../platform/part.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import type { Alerts } from '../mail/index.ts';
import { AccessReadModel } from './access-read-model.ts';

/** Days before the expiry of a key when a mail is sent. The first has the longest notice. */
const NOTICES = [7, 1] as const;

/**
 * Raises one alert for each notice and expiry of a key. The alert keys contain the expiry, so a new one is announced
 * again. A key that gets an expiry on the next day is announced once.
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
