import { DAY } from '../../shared/clock.ts';
import type { Settings } from '../settings/index.ts';
import { releaseStepOf, type ReleaseStep } from './release-step.ts';
import type { HeldUntil, PendingUpdate } from './update.ts';

/**
 * Minimum ages of releases. A run does not install a younger release, unless the release fixes a known vulnerability.
 * The rule is stored with the job, so that all sites of a run have the same rule.
 */
export interface HoldRule {
  /** Time up to which ages count, in milliseconds since 1970. They begin when a site first reported the release. */
  at: number;
  /** Minimum ages in milliseconds. Null: a run with this rule never installs releases of this step. */
  ages: Readonly<Record<ReleaseStep, number | null>>;
}

type HoldSettings = Pick<
  Settings<'general'>,
  'delay_autoupdate' | 'minimum_age_patch' | 'minimum_age_minor' | 'minimum_age_major'
>;

/** Returns null if the settings delay no release. No step has a minimum age below `delay_autoupdate`. */
export function holdRuleOf(settings: HoldSettings, now: number): HoldRule | null {
  const delay = settings.delay_autoupdate * DAY;
  const ageOf = (text: string): number | null =>
    text === 'never' ? null : Math.max(delay, Number.parseInt(text, 10) * DAY);
  const ages = {
    other: delay,
    patch: ageOf(settings.minimum_age_patch),
    minor: ageOf(settings.minimum_age_minor),
    major: ageOf(settings.minimum_age_major),
  };
  return Object.values(ages).every((age) => age === 0) ? null : { at: now, ages };
}

export interface SeenUpdate extends PendingUpdate {
  firstSeenAt: number;
}

export function heldUntilOf(update: SeenUpdate, { at, ages }: HoldRule): HeldUntil | null {
  const age = ages[releaseStepOf(update)];
  if (age === null) return 'never';
  return update.firstSeenAt + age > at ? update.firstSeenAt + age : null;
}
