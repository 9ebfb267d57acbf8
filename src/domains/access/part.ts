import type { BaseServices } from '../../platform/base-services.ts';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { MailServices } from '../mail/index.ts';
import { AccessService } from './access-service.ts';
import { keyExpirySchedule } from './key-expiries.schedule.ts';
import { KeyUsage } from './key-usage.ts';
import { RoleService } from './role-service.ts';
import { whereLimitOfCaller } from './limit-visibility-read-model.ts';

export function accessPart(
  { database, sealing, clock, logger }: BaseServices,
  { changes, mail: { alerts } }: { changes: ChangesServices; mail: MailServices },
) {
  const access = new AccessService(database, sealing, clock, changes.changeLog);
  const roles = new RoleService(database, clock, changes.changeLog, () => access.forgetCallers());
  const keyUsage = new KeyUsage({ knex: database.knex, clock, logger });
  return definePart({
    name: 'access',
    deletionCounts: [
      ...(['site', 'client', 'tag'] as const).map((of) => ({
        ...{ of, effect: 'limits' as const, table: 'site_limits', column: `${of}_id` },
        whereVisible: whereLimitOfCaller,
      })),
    ],
    own: { access, roles, keyUsage },
    schedules: [keyExpirySchedule(clock, alerts)],
    retentions: [{ name: 'key-usage', prune: () => keyUsage.prune() }],
    start: async () => keyUsage.start(),
    stop: async () => {
      await access.waitForWrites();
      await keyUsage.stop();
    },
  });
}

export type AccessServices = OwnOf<typeof accessPart>;
