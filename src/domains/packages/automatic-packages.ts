import type { Knex } from 'knex';
import { DomainError } from '../../shared/errors.ts';
import type { PackageService } from './package-service.ts';
import { packageRefused, type PackageKind, type StoredPackage } from './package.ts';
import { SiteItemReadModel } from './site-item-read-model.ts';
import { directorySlugOf, otherItem, refuseUnfitPackage, siteSlugOf } from './site-item.ts';

/** Plugin or theme as a site names it: the main file of a plugin, or the stylesheet of a theme. */
export interface ItemVersion {
  kind: PackageKind;
  item: string;
  version: string;
}

/**
 * Packages for versions that the service chooses itself, such as those of vulnerability fixes. They must come from the
 * WordPress.org directory, or an operator must have sent their hash.
 */
export class AutomaticPackages {
  readonly #knex: Knex;
  readonly #packages: PackageService;

  constructor({ knex, packages }: { knex: Knex; packages: PackageService }) {
    this.#knex = knex;
    this.#packages = packages;
  }

  /**
   * Returns the package of a version. Downloads it into the package vault if the vault lacks it. Throws the errors of
   * `PackageService.fetch`. Throws `svc_package_refused` if the package is neither from the directory nor verified by a
   * hash, or if its main file is not that of `item`.
   */
  async prepare(
    { kind, item, version }: ItemVersion,
    { actor, isLimited }: { actor: string; isLimited: boolean },
  ): Promise<StoredPackage> {
    const slug = directorySlugOf(kind, item);
    if (slug === '') throw packageRefused('no_folder', 'A plugin without a folder has no package.');
    const stored = await this.#packages.fetchForSites({ kind, slug, version }, actor, { isLimited, isAutomatic: true });
    if (siteSlugOf(stored) !== item) throw otherItem(kind);
    return stored;
  }

  async refusalOn(siteId: number, stored: StoredPackage): Promise<DomainError | null> {
    const site = await new SiteItemReadModel(this.#knex).find(siteId, stored);
    try {
      refuseUnfitPackage(site, stored);
      return null;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}
