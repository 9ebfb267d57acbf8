import { SECURITY_FLAGS, type SecurityFlag, type SecurityValue } from '../../connector/child-site.ts';
import { insertRows } from '../../db/insert-rows.ts';
import type { SyncSection } from '../sites/index.ts';

interface FlagRow {
  flag: SecurityFlag;
  value: SecurityValue;
}

/** Stores the ten flags of the child's security check in a fixed order, because synced values are compared by hash. */
export const securitySection: SyncSection<FlagRow[]> = {
  name: 'security',
  subjects: [],
  read: ({ security }) =>
    security &&
    SECURITY_FLAGS.flatMap((flag) => {
      const value = security[flag];
      return value === undefined ? [] : [{ flag, value }];
    }),
  write: async (trx, values) => {
    const known = values.filter(({ isFirst }) => !isFirst).map(({ site }) => site.id);
    if (known.length > 0) await trx('site_security').whereIn('site_id', known).delete();
    const rows = values.flatMap(({ site, value }) => value.map((row) => ({ site_id: site.id, ...row })));
    await insertRows(trx, 'site_security', rows);
  },
};
