import type { Knex } from 'knex';
import type { JobStages } from '../../queue/index.ts';
import type { FieldError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import { TaggedSitesReadModel } from './tagged-sites-read-model.ts';

export interface UpdateRings {
  /**
   * Groups of sites that are updated one after another: tag names, or shares of all sites of the run, like `10%`. The
   * remaining sites form a last ring.
   */
  rings: readonly string[];
  /** Number of sites that are broken or on which an update was rolled back, at which the run stops. Default: 1. */
  stopAfterBroken?: number | undefined;
  /**
   * Number or percentage of sites that could not be updated, at which the run stops. A number counts the sites of all
   * rings. A percentage is a share of those sites of one ring that had something to install. Default: `10%`.
   */
  stopAfterFailed?: number | string | undefined;
}

/** `ringOf` maps a site ID to an index in `names`. */
export interface RingPlan {
  names: string[];
  ringOf: Map<number, number>;
}

/**
 * A guarded run stops after one update with an unknown outcome: the old version was not restored, because nothing was
 * proven.
 */
export const STOP_AT_UNKNOWN = { stopAfterUnknown: 1 } as const;

const REST = 'rest';
const isPercentageRing = (ring: string): boolean => SHARE.test(ring);
const invalidRingMessage = (name: string): string =>
  name.endsWith('%') && !Number.isNaN(Number(name.slice(0, -1)))
    ? `must contain only tags and whole percentages from 1% to 100%, not ${name}`
    : `must contain only tags and percentages, not ${name}`;
const repeatedRingMessage = (name: string): string => `must contain each ring once, but ${name} is given twice`;
const SHARE = /^([1-9]\d?|100)%$/;

export function checkedRings(
  rings: readonly string[] = [],
  limits: Omit<UpdateRings, 'rings'> = {},
): UpdateRings | undefined {
  const [repeated] = repeatedRings(rings);
  if (repeated) throwFieldError('rings', repeatedRingMessage(repeated.ring));
  if (rings.length > 0) return { rings, ...limits };
  for (const name of ['stopAfterBroken', 'stopAfterFailed'] as const)
    if (limits[name] !== undefined) throwFieldError(name, 'must only be set together with rings');
  return undefined;
}

/** Returns each ring that repeats an earlier one, and its index. Case is ignored, as in the names of tags. */
function repeatedRings(rings: readonly string[]): { ring: string; index: number }[] {
  const keys = rings.map(nameKeyOf);
  return rings.flatMap((ring, index) => (keys.indexOf(keys[index] ?? '') < index ? [{ ring, index }] : []));
}

const toStopAfterMissed = (limit: number | string): JobStages['stopAfterMissed'] =>
  typeof limit === 'string' && limit.endsWith('%') ? { percent: parseInt(limit, 10) } : { count: Number(limit) };

export async function assignSitesToRings<S extends { site: { id: number } }>(
  knex: Knex,
  scope: SiteScope,
  sites: readonly S[],
  { rings, stopAfterBroken = 1, stopAfterFailed = '10%' }: UpdateRings,
): Promise<{ staged: (S & { stage: number })[]; stages: JobStages }> {
  const { names, ringOf } = await planRings(
    knex,
    scope,
    rings,
    sites.map(({ site }) => site.id),
  );
  const staged = sites.map((each) => ({ ...each, stage: ringOf.get(each.site.id) ?? 0 }));
  return { staged, stages: { names, stopAfter: stopAfterBroken, stopAfterMissed: toStopAfterMissed(stopAfterFailed) } };
}

export async function ringErrorsOf(knex: Knex, setting: string, rings: readonly string[]): Promise<FieldError[]> {
  const tagged = await new TaggedSitesReadModel(knex).byTag(
    ALL_SITES,
    rings.filter((ring) => !isPercentageRing(ring)),
  );
  const unknown = rings.flatMap((ring, index) =>
    isPercentageRing(ring) || tagged.has(nameKeyOf(ring))
      ? []
      : [{ path: `${setting}.${index}`, message: invalidRingMessage(ring) }],
  );
  const repeated = repeatedRings(rings).map(({ ring, index }) => ({
    path: `${setting}.${index}`,
    message: repeatedRingMessage(ring),
  }));
  return [...unknown, ...repeated];
}

/**
 * Puts each site in the first ring that matches. A share is a percentage of all sites of the run, rounded up. Its ring
 * gets the first sites that are in no earlier ring.
 */
async function planRings(
  knex: Knex,
  scope: SiteScope,
  rings: readonly string[],
  siteIds: readonly number[],
): Promise<RingPlan> {
  const tags = rings.filter((ring) => !isPercentageRing(ring));
  const tagged = await new TaggedSitesReadModel(knex).byTag(scope, tags);
  const ringOf = new Map<number, number>();
  let left = [...siteIds];
  for (const [ring, name] of rings.entries()) {
    const taken = new Set(left.filter(takenBy(name)));
    for (const id of taken) ringOf.set(id, ring);
    left = left.filter((id) => !taken.has(id));
  }
  for (const id of left) ringOf.set(id, rings.length);
  return { names: left.length > 0 ? [...rings, REST] : [...rings], ringOf };

  function takenBy(name: string): (id: number, at: number) => boolean {
    const share = SHARE.exec(name)?.[1];
    if (share !== undefined) {
      const many = Math.ceil((siteIds.length * Number(share)) / 100);
      return (_id, at) => at < many;
    }
    const sites = tagged.get(nameKeyOf(name)) ?? throwFieldError('rings', invalidRingMessage(name));
    return (id) => sites.has(id);
  }
}
