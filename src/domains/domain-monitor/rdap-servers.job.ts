import type { Schedule, CronTiming } from '../../platform/part.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type Queue,
} from '../../queue/index.ts';
import type { BootstrapLoadResult, RdapDirectory } from './rdap-directory.ts';

export const parseBootstrapLoadResult = createUnvalidatedParser<BootstrapLoadResult>();
export type LoadServersJob = JobKind<NoInput, BootstrapLoadResult, 'other'>;

export const loadServersJob = (directory: Pick<RdapDirectory, 'load'>): LoadServersJob =>
  defineJobKind({
    name: 'load-rdap-servers',
    about: 'other',
    input: noInput,
    result: parseBootstrapLoadResult,
    whenCancelled: 'abort',
    retryPermission: null,
    perform: ({ signal }) => directory.load(signal),
  });

export const loadServersSchedule = (
  queue: Pick<Queue, 'enqueue'>,
  kind: LoadServersJob,
  timing: () => CronTiming,
): Schedule => ({
  name: 'rdap-servers',
  module: 'domain-monitor',
  description: 'Loads the list of the RDAP servers of all top-level domains.',
  timing,
  begin: ({ scope, requestedBy }) =>
    queue.enqueue(scope, kind, { input: {}, items: [{ identifier: 'rdap-servers' }], requestedBy }),
});
