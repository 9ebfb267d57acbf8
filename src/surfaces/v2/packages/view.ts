import type { components } from '../../../../generated/v2.ts';
import type {
  InstalledPackage,
  InstallJobResult,
  ReachCheck,
  RollbackJobResult,
  StoredPackage,
} from '../../../domains/packages/index.ts';
import type { FleetResultsAndErrors } from '../../../domains/jobs/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const packageView = (stored: StoredPackage): Schemas['Package'] => ({
  id: stored.id,
  type: stored.kind,
  slug: stored.slug,
  version: stored.version,
  name: stored.name,
  main_file: stored.mainFile,
  sha256: stored.sha256,
  source: stored.source,
  url: stored.address,
  source_sha256: stored.sourceSha256,
  verified_by: stored.verifiedBy,
  size: stored.size,
  unpacked_size: stored.unpackedSize,
  file_count: stored.fileCount,
  requires_wordpress: stored.requiresWordpress,
  requires_php: stored.requiresPhp,
  created_at: toIso(stored.createdAt),
  last_used_at: toIso(stored.lastUsedAt),
});

export const reachView = ({ canFetch, fetches, childMessage }: ReachCheck): Schemas['PackageReach'] => ({
  can_fetch: canFetch,
  fetches,
  child_message: childMessage,
});

export const installedPackageView = (installed: InstalledPackage): Schemas['InstalledPackage'] => ({
  site_id: installed.siteId,
  site_url: installed.siteUrl,
  site_name: installed.siteName,
  type: installed.kind,
  slug: installed.slug,
  name: installed.name,
  old_version: installed.oldVersion,
  new_version: installed.newVersion,
  active: installed.active,
  changed: installed.changed,
});

export function installedView({
  results,
  errors,
}: FleetResultsAndErrors<InstallJobResult>): Schemas['PackagesInstalled'] {
  const data = results.flatMap(({ installed }) => (installed ? installedPackageView(installed) : []));
  const message = `The version is installed on ${data.length} of ${results.length + errors.length} sites.`;
  return { success: 1, message, data, errors: [...errors, ...results.flatMap((result) => result.errors)] };
}

export function rolledBackPackageView({ installed, pin }: RollbackJobResult): Schemas['RolledBackPackage'] | null {
  if (!installed) return null;
  const { changed: _changed, ...view } = installedPackageView(installed);
  return { ...view, rolled_back: 'files', pin };
}

export function rolledBackView(
  { results, errors }: FleetResultsAndErrors<RollbackJobResult>,
  sitesPinned: number | null,
): Schemas['PackagesRolledBack'] {
  const data = results.flatMap((result) => rolledBackPackageView(result) ?? []);
  const message = `${data.length} of ${results.length + errors.length} sites were rolled back.`;
  const all = [...errors, ...results.flatMap((result) => result.errors)];
  return { success: 1, message, data, errors: all, sites_pinned: sitesPinned };
}
