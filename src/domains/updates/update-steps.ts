import type { ChildLink, ChildStats, SyncCalls, UpdateCalls, UpgradeAnswer } from '../../connector/child-site.ts';
import type { DomainError } from '../../shared/errors.ts';
import { attempt, sendChange, type KeyedSite, type SyncService } from '../sites/index.ts';
import { broughtTo, tells, type PendingUpdate, type Step } from './update.ts';
import type { PageWatch } from './page-watch.ts';
import { sentStep } from './update-failures.ts';

export interface UpdateStepsParts {
  child: SyncCalls & UpdateCalls;
  sync: Pick<SyncService, 'request'>;
}

export interface Taking {
  site: KeyedSite;
  link: ChildLink;
  /** An earlier attempt may have done some of it. */
  resumed: boolean;
  /** Looks at the home page after each update; null where nobody asks for it. */
  watch: PageWatch | null;
}

/** What was done, and the newest state that was read since; null when none could be. */
export interface Course {
  steps: Step[];
  state: ChildStats | null;
  /** What ended the run early, or kept its state from being read. */
  stopped: DomainError | null;
  /** Why the newest look at the site failed; null when it did not. */
  unread: DomainError | null;
}

/**
 * Sends updates to one site, each in a call of its own, so that one that fails costs no other. A call that broke in the
 * middle is not repeated: the state is read, and the run goes on if the site answers. A call that did not get through
 * ends the run.
 */
export class UpdateSteps {
  readonly #parts: UpdateStepsParts;

  constructor(parts: UpdateStepsParts) {
    this.#parts = parts;
  }

  /**
   * `resumed` looks first: what an attempt before this one has done is not sent again, and where the site cannot be
   * looked at, nothing is.
   */
  async take(planned: readonly PendingUpdate[], { site, link, resumed, watch }: Taking): Promise<Course> {
    const course: Course = { steps: [], state: null, stopped: null, unread: null };
    if (resumed) await this.#look(course, site, link);
    const earlier = course.state;
    const blind = resumed && earlier === null;
    for (const update of planned) {
      const done = earlier !== null && broughtTo(earlier, update, null) !== null;
      const step: Step = { ...sentStep(update), sent: done || blind, after: done ? earlier : null };
      course.steps.push(step);
      if (step.sent) {
        watch?.sent(step);
        continue;
      }
      // While the core's own files are replaced, nothing else is asked of the site.
      step.heldBack = course.steps.some(({ update: { type }, atWork }) => type === 'core' && atWork);
      if (step.heldBack) continue;
      if (course.stopped) step.error = course.stopped;
      else {
        // What an earlier attempt has done is not put down to this update.
        await watch?.look();
        await this.#send(step, course, site, link);
        if (step.sent) watch?.sent(step);
        await watch?.look();
      }
    }
    await watch?.look();
    if (!blind && course.steps.some(({ sent, after }) => sent && after === null)) await this.#look(course, site, link);
    return course;
  }

  async #send(step: Step, course: Course, site: KeyedSite, link: ChildLink): Promise<void> {
    const { answer, broken, mayHaveRun, atWork } = await sendChange(() => this.#call(step.update, link));
    step.error = broken;
    step.sent = mayHaveRun;
    if (!mayHaveRun) {
      course.stopped = broken;
      return;
    }
    if (broken) await this.#look(course, site, link);
    step.atWork = atWork && (step.after === null || broughtTo(step.after, step.update, null) === null);
    if (!answer) return;
    step.claim = answer.claims.find(({ slug }) => slug === step.update.slug) ?? null;
    const { after } = answer;
    if (after?.plugins && after.themes && after.updates) see(course, after);
  }

  #call({ type, slug }: PendingUpdate, link: ChildLink): Promise<UpgradeAnswer> {
    const { child } = this.#parts;
    switch (type) {
      case 'core':
        return child.upgradeCore(link);
      case 'plugin':
        return child.upgradePlugins(link, [slug]);
      case 'theme':
        return child.upgradeThemes(link, [slug]);
      case 'translation':
        return child.upgradeTranslations(link, [slug]);
    }
  }

  async #look(course: Course, site: KeyedSite, link: ChildLink): Promise<void> {
    const { value: state, broken } = await attempt(() => this.read(site, link));
    if (state) return see(course, state);
    course.unread = broken;
    course.stopped ??= broken;
  }

  async read(site: KeyedSite, link: ChildLink): Promise<ChildStats> {
    return this.#parts.child.stats(link, await this.#parts.sync.request(site.id));
  }
}

/** A state proves every update that was sent before it was read. */
function see(course: Course, state: ChildStats): void {
  course.state = state;
  for (const step of course.steps) if (step.sent && tells(state, step.update)) step.after = state;
}
