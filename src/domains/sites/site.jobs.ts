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

export type SiteJobResult = Pick<SiteWithUrlKey, 'id' | 'url'>;
export type SyncJobResult = Pick<SiteWithUrlKey, 'id' | 'url' | 'name'>;

export const parseSyncJobResult = createUnvalidatedParser<SyncJobResult>();
export const parseSiteJobResult = createUnvalidatedParser<SiteJobResult>();

export type SiteJobs = {
  syncSite: JobKind<NoInput, SyncJobResult>;
  reconnectSite: JobKind<ReconnectCredentials, SiteJobResult>;
  disconnectSite: JobKind<NoInput, SiteJobResult>;
  suspendSite: JobKind<NoInput, SiteJobResult>;
};

/** The password stays encrypted as long as the job is stored. */
function reconnectInputStorage(sealing: Sealing): InputStorage<ReconnectCredentials> {
  const sealed = sealedInputs<ReconnectCredentials>(sealing, 'reconnect', () => 'credentials');
  return {
    toStored: (credentials) => sealed.toStored(Object.values(credentials).some(Boolean) ? { credentials } : {}),
    fromStored: (kept, item) => sealed.fromStored(kept, item) ?? {},
  };
}

const toSiteJobResult = ({ id, url }: SiteWithUrlKey): SiteJobResult => ({ id, url });

/**
 * Creates the job kinds of sites. All of them can run again after an interruption: syncs and status changes can be
 * repeated without another effect, and a registration first asks the site which key it accepts.
 */
export function siteJobs(sites: SiteService, sealing: Sealing): SiteJobs {
  const ofPlace = { about: 'site', result: parseSiteJobResult, whenCancelled: 'finish' } as const;
  return {
    syncSite: defineJobKind({
      name: 'sync',
      about: 'site',
      input: noInput,
      result: parseSyncJobResult,
      whenCancelled: 'abort',
      retryPermission: 'sites:sync',
      perform: async ({ subject, item, signal }) => {
        const { id, url, name } = await sites.sync(subject, { oneOfMany: !item.isOnlyItem, signal });
        return { id, url, name };
      },
    }),
    reconnectSite: defineJobKind({
      ...ofPlace,
      name: 'reconnect',
      retryPermission: 'sites:write',
      input: reconnectInputStorage(sealing),
      perform: async ({ subject, input, item, resumed, lease }) =>
        toSiteJobResult(await sites.reconnect(subject, item.requestedBy, { ...input, resumed, lease })),
    }),
    disconnectSite: defineJobKind({
      ...ofPlace,
      name: 'disconnect',
      retryPermission: 'sites:write',
      input: noInput,
      perform: async ({ subject, item }) => toSiteJobResult(await sites.disconnect(subject, item.requestedBy)),
    }),
    suspendSite: defineJobKind({
      ...ofPlace,
      name: 'suspend',
      retryPermission: 'sites:write',
      input: noInput,
      perform: async ({ subject, item }) => toSiteJobResult(await sites.suspend(subject, item.requestedBy)),
    }),
  };
}
