import type { Knex } from 'knex';
import type { ChildLink, ChildSite } from '../../connector/child-site.ts';
import { cut } from '../../db/replace-rows.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, itemErrorOf, NotFoundError, UpdateFailedError, type ItemError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { KeyedSite, SiteCalls, SyncService } from '../sites/index.ts';
import type { UpdateTurns } from './update-turns.ts';
import {
  broughtTo,
  reasonOf,
  typesOf,
  type AppliedUpdate,
  type PendingUpdate,
  type SiteRun,
  type Step,
  type UpdateType,
} from './update.ts';
import { UpdateRepository } from './update-repository.ts';
import { UpdateRunStore, type Outcome, type Plan } from './update-run-store.ts';
import { UpdateSteps, type Course } from './update-steps.ts';

/** Which of the updates of a site are meant. */
export interface UpdateChoice {
  /** Empty means all. */
  types: readonly UpdateType[];
  /** Empty means all. */
  slugs: readonly string[];
  /**
   * What a slug that is not updated amounts to: an error wherever it is ignored (`ignored`) or also where there is nothing to
   * update (`missing`), or nothing at all, because the slugs only narrow what is found.
   */
  complain: 'missing' | 'ignored' | 'never';
}

/** The item of a job that a run belongs to. */
export interface RunItem {
  id: number;
  /** An earlier attempt was interrupted. */
  resumed: boolean;
  /** Its job has further sites. */
  oneOfMany?: boolean;
}

export interface SiteUpdaterParts {
  knex: Knex;
  child: ChildSite;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  changeLog: ChangeLog;
  turns: UpdateTurns;
}

/**
 * Updates one site: core, then plugins, themes and translations. What the child claims decides nothing: its state is read back
 * at the end, stored and reported, so that the next read is true without a sync.
 */
export class SiteUpdater {
  readonly #parts: SiteUpdaterParts;
  readonly #steps: UpdateSteps;

  constructor(parts: SiteUpdaterParts) {
    this.#parts = parts;
    this.#steps = new UpdateSteps(parts);
  }

  /** The core alone has no list of errors: what failed is thrown. */
  async core(siteId: number, actor: string): Promise<{ site: KeyedSite; update: AppliedUpdate }> {
    const run = await this.run(siteId, { types: ['core'], slugs: [], complain: 'never' }, actor);
    const [update] = run.updated;
    if (update) return { site: run.site, update };
    const [failure] = run.errors;
    if (!failure) throw new NotFoundError('svc_no_updates', 'No core update waits on this site, or it is ignored.');
    if (failure.code === 'svc_update_failed') throw new UpdateFailedError('svc_update_failed', failure.message);
    throw run.broken ?? new UpdateFailedError('svc_update_failed', failure.message);
  }

  /** Throws when the site cannot be called at all; what fails later is an item in `errors`. */
  run(siteId: number, choice: UpdateChoice, actor: string, item: RunItem | null = null): Promise<SiteRun> {
    return this.#parts.turns.take(siteId, async () => {
      let run: SiteRun | null = null;
      try {
        const work = async (link: ChildLink, site: KeyedSite): Promise<void> => {
          const runs = new UpdateRunStore(this.#parts.knex);
          const earlier = item?.resumed ? await runs.find(item.id) : null;
          const plan = earlier?.planned ?? (await this.#plan(site, choice));
          if (earlier?.outcome) run = { site, broken: null, ...earlier.outcome };
          if (item && !earlier) await runs.begin(item.id, plan);
          const course = await this.#steps.take(run ? [] : plan.updates, site, link, earlier !== null);
          if (isHopeless(course)) throw course.stopped as DomainError;
          run ??= await this.#conclude(plan, course, site, actor, item);
          if (course.state) await this.#parts.sync.store(site, course.state, { complete: false });
          // Through the door by which the site's record learns of it; the run itself stands.
          if (course.stopped) throw course.stopped;
        };
        await this.#parts.calls.run(siteId, work, { oneOfMany: item?.oneOfMany ?? false });
      } catch (error) {
        if (!run || !(error instanceof DomainError)) throw error;
      }
      return run as unknown as SiteRun;
    });
  }

  async #plan(site: KeyedSite, { types, slugs, complain }: UpdateChoice): Promise<Plan> {
    const chosen = typesOf(types);
    const wanted = new Set(slugs);
    const fits = ({ type, slug }: PendingUpdate): boolean =>
      chosen.includes(type) && (wanted.size === 0 || wanted.has(slug));
    const fitting = (await new UpdateRepository(this.#parts.knex).of(site.id)).filter(fits);
    const errors: ItemError[] = [];
    if (complain !== 'never' && wanted.size > 0)
      for (const update of fitting) if (update.ignored) errors.push({ ...placeOf(site, update), ...IGNORED });
    const known = new Set(fitting.map(({ slug }) => slug));
    if (complain === 'missing')
      for (const slug of wanted)
        if (!known.has(slug)) errors.push({ ...placeOf(site, { type: chosen[0] ?? 'plugin', slug }), ...NOTHING });
    return { updates: fitting.flatMap(({ ignored, ...update }) => (ignored ? [] : [update])), errors };
  }

  /** The log and the outcome first: should storing the state fail, the next sync brings it, and nothing would bring these. */
  async #conclude(
    plan: Plan,
    { steps, stopped }: Course,
    site: KeyedSite,
    actor: string,
    item: RunItem | null,
  ): Promise<SiteRun> {
    const outcome: Outcome = { updated: [], errors: [...plan.errors] };
    for (const step of steps) {
      const applied = appliedIn(step);
      if (applied) outcome.updated.push(applied);
      else outcome.errors.push(failureOf(step, site));
    }
    const { knex, changeLog } = this.#parts;
    if (steps.length > 0)
      await inTransaction(knex, async ({ trx }) => {
        if (item) await new UpdateRunStore(trx).end(item.id, outcome);
        if (outcome.updated.length > 0)
          await changeLog.append(trx, ...outcome.updated.map((update) => changeOf(update, site, actor)));
      });
    const broken = steps.find(({ error }) => error !== null)?.error ?? stopped;
    return { site, broken, ...outcome };
  }
}

/** Nothing left for the site: the call as a whole has failed. */
const isHopeless = ({ steps, stopped }: Course): boolean => stopped !== null && steps.every(({ sent }) => !sent);

function appliedIn({ update, claim, after }: Step): AppliedUpdate | null {
  const newVersion = after && broughtTo(after, update, claim);
  if (newVersion === null) return null;
  const { type, slug, name, currentVersion } = update;
  return { type, slug, name, oldVersion: claim?.oldVersion || currentVersion, newVersion };
}

function failureOf(step: Step, site: KeyedSite): ItemError {
  const { identifier, ...place } = placeOf(site, step.update);
  if (!step.sent) return itemErrorOf(identifier, step.error, place);
  const code = step.after ? 'svc_update_failed' : 'svc_outcome_unknown';
  const message = step.after ? reasonOf(step) : 'The site was asked to update, and then its state could not be read.';
  return { identifier, code, message, ...place };
}

const placeOf = (site: KeyedSite, { type, slug }: Pick<PendingUpdate, 'type' | 'slug'>) => ({
  identifier: slug,
  site_id: site.id,
  site_url: site.url,
  type,
  slug,
});

const IGNORED = { code: 'svc_update_ignored', message: 'Updates of this item are ignored on this site.' } as const;
const NOTHING = { code: 'svc_no_update', message: 'The last sync found no update for this item.' } as const;

function changeOf({ type, slug, name, oldVersion, newVersion }: AppliedUpdate, site: KeyedSite, actor: string) {
  const from = oldVersion === '' ? '' : ` from ${cut(oldVersion, 64)}`;
  const what = type === 'core' ? 'WordPress' : `the ${type} ${cut(name || slug, 255)}`;
  return {
    siteId: site.id,
    type: `${type === 'core' ? 'wordpress' : type}.updated`,
    description: `Updated ${what}${from} to ${cut(newVersion, 64)}.`,
    actor,
  };
}
