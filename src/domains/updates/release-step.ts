import { compareVersions, isKnownVersion, versionPartsOf } from '../vulnerabilities/index.ts';
import type { PendingUpdate } from './update.ts';

/** Size of the change between two versions. `other`: translations, which have no versions to compare. */
export const RELEASE_STEPS = ['other', 'patch', 'minor', 'major'] as const;
export type ReleaseStep = (typeof RELEASE_STEPS)[number];

/** Value of the column `step` of `site_updates`. */
export const stepNumberOf = (update: Versions): number => RELEASE_STEPS.indexOf(releaseStepOf(update));

type Versions = Pick<PendingUpdate, 'type' | 'currentVersion' | 'newVersion'>;

/**
 * Returns the step of an update. WordPress numbers its major releases in two parts, so 6.4 to 6.5 is `major`. A version
 * that cannot be read counts as `major`.
 */
export function releaseStepOf({ type, currentVersion, newVersion }: Versions): ReleaseStep {
  if (type === 'translation') return 'other';
  if (!isKnownVersion(currentVersion) || !isKnownVersion(newVersion)) return 'major';
  if (compareVersions(currentVersion, newVersion) === 0) return 'patch';
  const [before, after] = [versionPartsOf(currentVersion), versionPartsOf(newVersion)];
  const differsAt = (at: number): boolean => (before[at] ?? 0) !== (after[at] ?? 0);
  if (differsAt(0)) return 'major';
  if (differsAt(1)) return type === 'core' ? 'major' : 'minor';
  return 'patch';
}
