import { CodedInvalidError, ConflictError } from '../../shared/errors.ts';
import { normalizePinRange } from '../updates/index.ts';
import { compareVersions } from '../vulnerabilities/index.ts';
import type { ItemOnSite, SiteForPackage } from './site-item.ts';
import type { PackageRef } from './package.ts';

/** Returns the item to roll back. If a folder has several plugins, prefers the one that is named like the folder. */
export const currentItem = (
  { items }: SiteForPackage,
  { kind, slug }: Pick<PackageRef, 'kind' | 'slug'>,
): ItemOnSite | null =>
  items.find((item) => item.slug === (kind === 'plugin' ? `${slug}/${slug}.php` : slug)) ?? items[0] ?? null;

export const noEarlierVersion = (message: string): ConflictError =>
  new ConflictError('svc_no_earlier_version', message);

/** Throws `svc_no_earlier_version`, or `svc_confirmation_required` for an unconfirmed change of the major version. */
export function refuseRollback(current: string, target: string, isConfirmed: boolean): void {
  if (compareVersions(target, current) >= 0)
    throw noEarlierVersion(`Version ${target} is not older than ${current}, which the site has.`);
  if (majorOf(target) === majorOf(current) || isConfirmed) return;
  const message = `The rollback from ${current} to ${target} crosses a major version. Send confirm: true.`;
  throw new CodedInvalidError('svc_confirmation_required', message, {
    errors: [{ path: 'confirm', message: 'must be true' }],
  });
}

const majorOf = (version: string): string => /^\D*(\d+)/.exec(version)?.[1]?.replace(/^0+(?=\d)/, '') ?? version;

export const rangeBelow = (version: string): string | null => normalizePinRange(`<${version}`);
