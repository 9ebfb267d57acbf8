import type { ChildLink, ToolCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { defineJobKind, noInput, plainInput, type JobKind, type LeasedItem } from '../../queue/index.ts';
import { OutcomeUnknownError } from '../../shared/child-call-errors.ts';
import {
  changeDone,
  changeFailed,
  parseSiteJobResult,
  type SiteJobResult,
  type SitesServices,
  type SiteWithUrlKey,
} from '../sites/index.ts';

/** `since` is in milliseconds since 1970. A site that received its key after this time gets no other key. */
export interface RenewInput {
  since: number;
}

export interface ToolJobs {
  destroySessions: JobKind<Readonly<Record<string, never>>, SiteJobResult>;
  renewConnections: JobKind<RenewInput, SiteJobResult>;
  disconnectAllSites: JobKind<Readonly<Record<string, never>>, SiteJobResult>;
}

export interface ToolJobsDeps {
  child: ToolCalls;
  sites: Pick<SitesServices, 'sites' | 'calls' | 'childChanges' | 'renewal'>;
}

const unknownOutcome = (): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The connection was lost. It is not known whether the sessions were ended.',
  );

const toSiteJobResult = ({ id, url }: SiteJobResult): SiteJobResult => ({ id, url });

/**
 * Creates the job kinds of the tools. Interrupted jobs can be repeated: ended sessions stay ended, a site with a new
 * key keeps the key, and a site that is already disconnected stays disconnected.
 */
export function toolJobs({ child, sites: { sites, calls, childChanges, renewal } }: ToolJobsDeps): ToolJobs {
  const ofSite = { about: 'site', result: parseSiteJobResult, whenCancelled: 'finish' } as const;
  const oneOfMany = ({ isOnlyItem: alone }: LeasedItem): boolean => !alone;

  async function destroySessions(siteId: number, item: LeasedItem, lease: Lease): Promise<SiteJobResult> {
    const description = 'Ended the sessions of the connected administrator.';
    const destroy = (link: ChildLink, site: SiteWithUrlKey): Promise<SiteJobResult> => {
      const thing = { name: site.name, key: site.id };
      return childChanges.carryOut(
        { siteId, actor: item.requestedBy, lease },
        {
          send: () => child.destroySessions(link),
          read: null,
          judge: ({ callError, mayStillRun }) =>
            callError
              ? changeFailed(mayStillRun ? unknownOutcome() : callError)
              : changeDone(toSiteJobResult(site), [{ type: 'site.sessions_ended', description, thing }]),
        },
      );
    };
    return calls.run(siteId, destroy, { oneOfMany: oneOfMany(item), lease });
  }

  return {
    destroySessions: defineJobKind({
      ...ofSite,
      name: 'destroy-sessions',
      retryPermission: 'tools:manage',
      input: noInput,
      perform: ({ subject, item, lease }) => destroySessions(subject, item, lease),
    }),
    renewConnections: defineJobKind({
      ...ofSite,
      name: 'renew-connections',
      retryPermission: 'tools:manage',
      input: plainInput<RenewInput>(),
      perform: async ({ subject, item, input, lease }) =>
        toSiteJobResult(await renewal.renew(subject, item.requestedBy, input.since, lease)),
    }),
    disconnectAllSites: defineJobKind({
      ...ofSite,
      name: 'disconnect-all-sites',
      retryPermission: 'tools:manage',
      input: noInput,
      perform: async ({ subject, item, lease }) =>
        toSiteJobResult(await sites.release(subject, item.requestedBy, { oneOfMany: oneOfMany(item), lease })),
    }),
  };
}
