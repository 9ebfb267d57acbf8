import type { PackageRef, StoredPackage } from '../../../domains/packages/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { queuedView } from '../queued-view.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import { requirePermission } from '../../../shared/permission-check.ts';
import { requesterOf } from '../../../shared/requester.ts';
import { UploadedFile } from '../../../shared/uploaded-file.ts';
import { SELECTION_FIELD_NAMES, siteSelectionOf } from '../site-selection.ts';
import { siteReferenceView } from '../sites/view.ts';
import { installedView, packageView, reachView, rolledBackView } from './view.ts';

export const fieldNames = SELECTION_FIELD_NAMES;

export const routes = (
  { packages: { packages, reach, installs, rollbacks } }: RequiredServices<'packages'>,
  { base }: BaseAddress,
): HandlersOf<'packages'> => ({
  packages_list: async ({ query }) => {
    const { type: kind, slug, source } = query;
    const page = await packages.list(dropEmptyFilters({ kind, slug, source }), pageRequestOf(query));
    return pageResponse(page, packageView, `${base}/packages`, query);
  },
  packages_get: async ({ path }) => {
    const data = packageView(await packages.get(path.package_id));
    return { status: 200, body: { success: 1, data } };
  },
  packages_fetch: async ({ body, caller }) => storedResponse(await packages.fetch(packageRefOf(body), caller.name)),
  packages_add: async ({ body, caller }) => {
    const { url, sha256 } = body;
    return storedResponse(await packages.addFromAddress({ ...packageRefOf(body), url, sha256 }, caller.name));
  },
  packages_upload: async ({ body, caller }) => {
    const { zip_file: file, sha256 } = body;
    // A call over MCP has JSON, which has no files.
    if (!(file instanceof UploadedFile)) throwFieldError('zip_file', 'must be a file of a form');
    return storedResponse(await packages.addUpload({ ...packageRefOf(body), zip: file.bytes, sha256 }, caller.name));
  },
  packages_remove: async ({ path, caller }) => {
    await packages.delete(path.package_id, caller.name);
    return { status: 200, body: { success: 1, message: 'The package was deleted.' } };
  },
  sites_packages_install: async ({ body, caller, site }) => {
    const order = { ...packageRefOf(body), activate: body.activate };
    const done = await installs.installOnSite(site, caller.sites, order, requesterOf(caller));
    return { status: 200, body: installedView(done) };
  },
  packages_install: async ({ body, caller }) => {
    const order = { ...packageRefOf(body), activate: body.activate };
    const run = await installs.install(siteSelectionOf(caller.sites, body), order, requesterOf(caller));
    return { status: 200, body: run.queued ? queuedView(run, base) : installedView(run) };
  },
  sites_packages_rollback: async ({ body, caller, site }) => {
    if (body.skip === 'fleet') requirePermission(caller, 'updates:write');
    const order = rollbackOrderOf(body);
    const done = await rollbacks.rollBackSite(site, caller.sites, order, body.skip, requesterOf(caller));
    return { status: 200, body: rolledBackView(done, done.sitesPinned) };
  },
  packages_rollback: async ({ body, caller }) => {
    const selection = siteSelectionOf(caller.sites, body);
    const run = await rollbacks.rollBack(selection, rollbackOrderOf(body), body.skip === 'site', requesterOf(caller));
    return { status: 200, body: run.queued ? queuedView(run, base) : rolledBackView(run, null) };
  },
  sites_packages_check: async ({ site }) => {
    const check = await reach.check(site.id);
    const message = `The site ${check.canFetch ? 'can' : 'cannot'} fetch packages from this service.`;
    return { status: 200, body: { success: 1, message, data: reachView(check), site: siteReferenceView(site) } };
  },
});

const packageRefOf = ({
  type: kind,
  slug,
  version,
}: Pick<PackageRef, 'slug' | 'version'> & { type: PackageRef['kind'] }) => ({
  kind,
  slug,
  version,
});

const rollbackOrderOf = ({
  type: kind,
  slug,
  version = null,
  confirm: isConfirmed,
}: {
  type: PackageRef['kind'];
  slug: string;
  version?: string | null;
  confirm: boolean;
}) => ({ kind, slug, version, isConfirmed });

const storedResponse = (stored: StoredPackage) => ({
  status: 200 as const,
  body: { success: 1 as const, message: 'The vault has the package.', data: packageView(stored) },
});
