import type { Sealing } from '../../db/sealing.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  sealedInputs,
  type JobKind,
  type InputStorage,
  type NoInput,
} from '../../queue/index.ts';
import type { ReconnectCredentials } from './reconnection.ts';
import type { SiteWithUrlKey } from './site.ts';
import type { SiteService } from './site-service.ts';

export type SiteResult = Pick<SiteWithUrlKey, 'id' | 'url'>;
export type SyncedSite = Pick<SiteWithUrlKey, 'id' | 'url' | 'name'>;

export const parseSyncedSite = createUnvalidatedParser<SyncedSite>();
export const parseSiteResult = createUnvalidatedParser<SiteResult>();

export type SiteJobs = {
  syncSite: JobKind<NoInput, SyncedSite>;
  reconnectSite: JobKind<ReconnectCredentials, SiteResult>;
  disconnectSite: JobKind<NoInput, SiteResult>;
  suspendSite: JobKind<NoInput, SiteResult>;
};

/** Defines the input of a reconnect job. The password stays encrypted as long as the job is stored. */
function credentialsInput(sealing: Sealing): InputStorage<ReconnectCredentials> {
  const sealed = sealedInputs<ReconnectCredentials>(sealing, 'reconnect', () => 'credentials');
  return {
    toStored: (credentials) => sealed.toStored(Object.values(credentials).some(Boolean) ? { credentials } : {}),
    fromStored: (kept, item) => sealed.fromStored(kept, item) ?? {},
  };
}

const toSiteResult = ({ id, url }: SiteWithUrlKey): SiteResult => ({ id, url });

/**
 * Creates the job kinds of sites. All of them can run again after an interruption. Syncs and status changes have the
 * same effect twice, and a registration first asks the site which key it accepts.
 */
export function siteJobs(sites: SiteService, sealing: Sealing): SiteJobs {
  const ofPlace = { about: 'site', result: parseSiteResult, whenCancelled: 'finish' } as const;
  return {
    syncSite: defineJobKind({
      name: 'sync',
      about: 'site',
      input: noInput,
      result: parseSyncedSite,
      whenCancelled: 'abort',
      perform: async ({ subject, item, signal }) => {
        const { id, url, name } = await sites.sync(subject, { oneOfMany: !item.isOnlyItem, signal });
        return { id, url, name };
      },
    }),
    reconnectSite: defineJobKind({
      ...ofPlace,
      name: 'reconnect',
      input: credentialsInput(sealing),
      perform: async ({ subject, input, item, resumed, lease }) =>
        toSiteResult(await sites.reconnect(subject, item.requestedBy, { ...input, resumed, lease })),
    }),
    disconnectSite: defineJobKind({
      ...ofPlace,
      name: 'disconnect',
      input: noInput,
      perform: async ({ subject, item }) => toSiteResult(await sites.disconnect(subject, item.requestedBy)),
    }),
    suspendSite: defineJobKind({
      ...ofPlace,
      name: 'suspend',
      input: noInput,
      perform: async ({ subject, item }) => toSiteResult(await sites.suspend(subject, item.requestedBy)),
    }),
  };
}
