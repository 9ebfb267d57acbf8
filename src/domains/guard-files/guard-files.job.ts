import { createUnvalidatedParser, defineJobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import { combineLeases } from '../../db/lease.ts';
import type { SiteLeases } from '../sites/index.ts';
import type { GuardFileSweeper } from './guard-file-sweeper.ts';

export interface GuardFilesJobResult {
  removed: number;
}

export interface GuardFilesJobDeps {
  sweeper: GuardFileSweeper;
  leases: SiteLeases;
}

/** A run that is interrupted can be repeated, because the row of a removed file is deleted. */
export const guardFilesJob = ({ sweeper, leases }: GuardFilesJobDeps): JobKind<NoInput, GuardFilesJobResult> =>
  defineJobKind({
    name: 'guard-files',
    about: 'site',
    input: noInput,
    result: createUnvalidatedParser<GuardFilesJobResult>(),
    whenCancelled: 'finish',
    retryPermission: null,
    perform: async ({ subject, item, lease }) => {
      if (await sweeper.isUpdating(subject)) return { removed: 0 };
      const context = { actor: item.requestedBy, oneOfMany: !item.isOnlyItem };
      const removed = await leases.runExclusive(subject, (siteLease) =>
        sweeper.sweep(subject, { ...context, lease: combineLeases(lease, siteLease) }),
      );
      return { removed };
    },
  });
