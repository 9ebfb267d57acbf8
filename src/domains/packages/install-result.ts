import { createUnvalidatedParser, resultWithErrors, type ItemWithErrors } from '../../queue/index.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import type { InstallOutcome } from './package-installer.ts';
import type { PackageKind, StoredPackage } from './package.ts';
import { siteSlugOf } from './site-item.ts';

/** `changed` is false if the site already had this version in this state. */
export interface InstalledPackage {
  siteId: number;
  siteUrl: string;
  siteName: string;
  kind: PackageKind;
  slug: string;
  name: string;
  oldVersion: string | null;
  newVersion: string;
  active: boolean;
  changed: boolean;
}

export interface InstallJobResult {
  installed: InstalledPackage | null;
  errors: ItemError[];
}

export const parseInstallJobResult = createUnvalidatedParser<InstallJobResult>();

export const toInstallItemResult = <Result extends InstallJobResult>(result: Result): Result | ItemWithErrors<Result> =>
  resultWithErrors(result, result.installed ? 1 : 0, result.errors);

export function toInstallResult(
  outcome: InstallOutcome,
  stored: StoredPackage,
  identifier: string | number,
): InstallJobResult {
  const { site, before, after, verdict } = outcome;
  const isThere = after?.version === stored.version && verdict !== 'unknown';
  const installed = isThere
    ? {
        ...{ siteId: site.id, siteUrl: site.url, siteName: site.name, kind: stored.kind, slug: after.slug },
        ...{ name: after.name, oldVersion: before?.version ?? null, newVersion: after.version, active: after.active },
        changed: before?.version !== after.version || before.active !== after.active,
      }
    : null;
  return { installed, errors: verdict === 'done' ? [] : [installErrorOf(outcome, stored, identifier)] };
}

function installErrorOf(
  { site, after, verdict, callError, isUnfetched }: InstallOutcome,
  stored: StoredPackage,
  identifier: string | number,
): ItemError {
  const place = { site_id: site.id, site_url: site.url, type: stored.kind, slug: siteSlugOf(stored) };
  if (verdict === 'unknown') return { identifier, ...place, ...UNKNOWN };
  if (after?.version === stored.version) return { identifier, ...place, ...INACTIVE };
  const error = callError && itemErrorOf(identifier, callError, place);
  if (error && !after && !isUnfetched) return error;
  const { child_code: code } = callError?.data ?? {};
  const reason = isUnfetched ? 'not_fetched' : typeof code === 'string' ? code : error?.reason;
  return {
    ...{ identifier, ...place, code: 'svc_install_failed' },
    message: isUnfetched ? UNFETCHED : `The site does not have version ${stored.version} afterwards.`,
    ...(reason !== undefined && { reason }),
    ...(error?.child_message !== undefined && { child_message: error.child_message }),
  };
}

const UNFETCHED = 'The site did not download the package from this service.';
const UNKNOWN = {
  code: 'svc_outcome_unknown',
  message: 'The package was sent, but the state of the site does not confirm the result yet.',
} as const;
const INACTIVE = {
  code: 'svc_activation_failed',
  message: 'The version is installed, but the plugin is inactive.',
} as const;
