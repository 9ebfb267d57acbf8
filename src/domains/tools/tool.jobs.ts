import type { Knex } from 'knex';
import type { ToolCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import { defineJobKind, noInput, plainInput, type JobKind, type LeasedItem } from '../../queue/index.ts';
import { OutcomeUnknownError } from '../../shared/errors.ts';
import {
  parseSiteResult,
  sendChange,
  type ChangeRecorder,
  type SiteResult,
  type SitesServices,
} from '../sites/index.ts';

/** Milliseconds since 1970. Keys that a site has received later are not renewed again. */
export interface RenewInput {
  since: number;
}

export interface ToolJobs {
  destroySessions: JobKind<Readonly<Record<string, never>>, SiteResult>;
  renewConnections: JobKind<RenewInput, SiteResult>;
  disconnectAllSites: JobKind<Readonly<Record<string, never>>, SiteResult>;
}

export interface ToolJobsDeps {
  knex: Knex;
  child: ToolCalls;
  changes: ChangeRecorder;
  sites: Pick<SitesServices, 'sites' | 'calls' | 'renewal'>;
}

const unknownOutcome = (): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The connection was lost. It is not known whether the sessions were ended.',
  );

const toSiteResult = ({ id, url }: SiteResult): SiteResult => ({ id, url });

/**
 * Creates the job kinds of the tools. Interrupted jobs can be repeated: ended sessions stay ended, a site with a new
 * key keeps it, and a site that is already disconnected says so.
 */
export function toolJobs({ knex, child, changes, sites: { sites, calls, renewal } }: ToolJobsDeps): ToolJobs {
  const ofSite = { about: 'site', result: parseSiteResult, whenCancelled: 'finish' } as const;
  const oneOfMany = ({ isOnlyItem: alone }: LeasedItem): boolean => !alone;

  async function destroySessions(siteId: number, item: LeasedItem, lease: Lease): Promise<SiteResult> {
    const site = await calls.run(
      siteId,
      async (link, called) => {
        const { callError, mayStillRun } = await sendChange(() => child.destroySessions(link));
        if (callError) throw mayStillRun ? unknownOutcome() : callError;
        return called;
      },
      { oneOfMany: oneOfMany(item), lease },
    );
    const description = 'Ended the sessions of the connected administrator.';
    const thing = { name: site.name, key: site.id };
    const change = { siteId, type: 'site.sessions_ended', description, actor: item.requestedBy, thing };
    await inTransaction(knex, async ({ trx }) => {
      await lease.lock(trx);
      await changes.append(trx, change);
    });
    return toSiteResult(site);
  }

  return {
    destroySessions: defineJobKind({
      ...ofSite,
      name: 'destroy-sessions',
      input: noInput,
      perform: ({ subject, item, lease }) => destroySessions(subject, item, lease),
    }),
    renewConnections: defineJobKind({
      ...ofSite,
      name: 'renew-connections',
      input: plainInput<RenewInput>(),
      perform: async ({ subject, item, input, lease }) =>
        toSiteResult(await renewal.renew(subject, item.requestedBy, input.since, lease)),
    }),
    disconnectAllSites: defineJobKind({
      ...ofSite,
      name: 'disconnect-all-sites',
      input: noInput,
      perform: async ({ subject, item, lease }) =>
        toSiteResult(await sites.release(subject, item.requestedBy, { oneOfMany: oneOfMany(item), lease })),
    }),
  };
}
