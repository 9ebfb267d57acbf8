import { NothingButErrors, type ItemHandler } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import { siteIdOf } from '../sites/index.ts';
import type { SiteUpdater, UpdateChoice } from './site-updater.ts';
import type { UpdateType } from './update.ts';

/** What all sites of an update job share. */
export type UpdateJobInput = { types: UpdateType[]; slugs: string[]; complain: UpdateChoice['complain'] };

export interface UpdateJobItem {
  site_id: number;
  site_url: string;
  site_name: string;
  type: UpdateType;
  slug: string;
  name: string;
  old_version: string;
  new_version: string;
}

/** What came of one site, named as callers read it in the job. */
export interface UpdateJobResult {
  updated: UpdateJobItem[];
  errors: ItemError[];
}

/**
 * One site of an update job. Its plan and its outcome are kept with the item: a further attempt looks at the site before it
 * sends what is missing, and one that was only about to be recorded is not run again.
 */
export const updateJob =
  (updater: SiteUpdater): ItemHandler =>
  async ({ item, resumed }): Promise<UpdateJobResult | NothingButErrors> => {
    const choice = item.input as UpdateJobInput;
    const { site, updated, errors } = await updater.run(siteIdOf({ item }), choice, item.requestedBy, {
      id: item.id,
      resumed,
      oneOfMany: !item.alone,
    });
    const result = {
      updated: updated.map(({ type, slug, name, oldVersion, newVersion }) => ({
        site_id: site.id,
        site_url: site.url,
        site_name: site.name,
        type,
        slug,
        name,
        old_version: oldVersion,
        new_version: newVersion,
      })),
      // The caller named the site; which of its items an error is about, its type and slug say.
      errors: errors.map((error) => ({ ...error, identifier: item.identifier })),
    };
    const [first] = updated.length === 0 ? errors : [];
    return first ? new NothingButErrors(result, first) : result;
  };
