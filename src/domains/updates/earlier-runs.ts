import type { Knex } from 'knex';
import type { ChildLink } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import type { Clock } from '../../shared/clock.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import { OpenUpdateStore, type OpenUpdate } from './open-update-store.ts';
import type { SiteUpdateRunResult } from './update.ts';
import type { UpdateRecorder, UpdateRunItem } from './update-recorder.ts';
import { UpdateRunStore, type StoredOutcome } from './update-run-store.ts';
import type { UpdateVerifier } from './update-verifier.ts';

export interface EarlierRunsDeps {
  knex: Knex;
  clock: Clock;
  verifier: UpdateVerifier;
  recorder: UpdateRecorder;
}

export interface NextRun {
  site: SiteWithUrlKey;
  link: ChildLink;
  item: UpdateRunItem | null;
  lease: Lease;
}

/**
 * Finds out if the site has installed the open updates of earlier runs, and logs those that are installed. If one of
 * these updates has broken the site, the new run must send nothing, and this function returns its result. Otherwise
 * returns null.
 */
export async function settleEarlierRuns(
  { knex, clock, verifier, recorder }: EarlierRunsDeps,
  { site, link, item, lease }: NextRun,
): Promise<SiteUpdateRunResult | null> {
  const open = await new OpenUpdateStore(knex, clock).of(site.id);
  for (const { actor, logPosition, watched } of firstOfEachRun(open)) {
    const updates = open.filter((each) => each.actor === actor && each.logPosition === logPosition);
    const verified = await verifier.verify({ updates, watched, logPosition }, { site, link, actor });
    const { changes, renamed, unconfirmed, finding, health, ...looked } = verified;
    const isBroken = health?.state === 'broken';
    const outcome: StoredOutcome = { ...looked, updated: [], open: [], since: clock.now(), health };
    const plan = { updates: [], errors: [], watched, logPosition };
    if (item && isBroken) await new UpdateRunStore(knex).begin(item.id, plan);
    await recorder.store({
      ...{ site, outcome, sent: updates, changes, renamed, unconfirmed, logPosition, lease },
      finding: finding && { ...finding, jobId: item?.jobId ?? null },
      item: isBroken ? item : null,
    });
    if (isBroken) return { site, callError: null, watched, logPosition, ...outcome, health, skipped: [] };
  }
  return null;
}

const firstOfEachRun = (open: readonly OpenUpdate[]): OpenUpdate[] =>
  open.filter(
    ({ actor, logPosition }, index) =>
      open.findIndex((each) => each.actor === actor && each.logPosition === logPosition) === index,
  );
