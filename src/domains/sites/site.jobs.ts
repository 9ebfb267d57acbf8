import type { Sealing } from '../../db/sealing.ts';
import {
  asWritten,
  jobKind,
  noInput,
  sealedInputs,
  type JobKind,
  type KeptInput,
  type NoInput,
} from '../../queue/index.ts';
import type { ReconnectCredentials } from './reconnection.ts';
import type { KeyedSite } from './site.ts';
import type { SiteService } from './site-service.ts';

export type PlacedSite = Pick<KeyedSite, 'id' | 'url'>;
export type SyncedSite = Pick<KeyedSite, 'id' | 'url' | 'name'>;

export const syncedSite = asWritten<SyncedSite>();
export const placedSite = asWritten<PlacedSite>();

export type SiteJobs = {
  syncSite: JobKind<NoInput, SyncedSite>;
  reconnectSite: JobKind<ReconnectCredentials, PlacedSite>;
  disconnectSite: JobKind<NoInput, PlacedSite>;
  suspendSite: JobKind<NoInput, PlacedSite>;
};

/** The password stays sealed as long as the job is stored. */
function credentialsInput(sealing: Sealing): KeptInput<ReconnectCredentials> {
  const sealed = sealedInputs<ReconnectCredentials>(sealing, 'reconnect', () => 'credentials');
  return {
    keep: (credentials) => sealed.keep(Object.values(credentials).some(Boolean) ? { credentials } : {}),
    open: (kept, item) => sealed.open(kept, item) ?? {},
  };
}

const placed = ({ id, url }: KeyedSite): PlacedSite => ({ id, url });

/**
 * All kinds can run again after an interruption. Syncs and status changes have the same effect twice, and a
 * registration first asks the site which key it accepts.
 */
export function siteJobs(sites: SiteService, sealing: Sealing): SiteJobs {
  const ofPlace = { about: 'site', result: placedSite, whenCancelled: 'finish' } as const;
  return {
    syncSite: jobKind({
      name: 'sync',
      about: 'site',
      input: noInput,
      result: syncedSite,
      whenCancelled: 'abort',
      perform: async ({ subject, item, signal }) => {
        const { id, url, name } = await sites.sync(subject, { oneOfMany: !item.alone, signal });
        return { id, url, name };
      },
    }),
    reconnectSite: jobKind({
      ...ofPlace,
      name: 'reconnect',
      input: credentialsInput(sealing),
      perform: async ({ subject, input, item, resumed }) =>
        placed(await sites.reconnect(subject, item.requestedBy, { ...input, resumed })),
    }),
    disconnectSite: jobKind({
      ...ofPlace,
      name: 'disconnect',
      input: noInput,
      perform: async ({ subject, item }) => placed(await sites.disconnect(subject, item.requestedBy)),
    }),
    suspendSite: jobKind({
      ...ofPlace,
      name: 'suspend',
      input: noInput,
      perform: async ({ subject, item }) => placed(await sites.suspend(subject, item.requestedBy)),
    }),
  };
}
