import type { ItemError } from '../../shared/errors.ts';
import type { KeyedSite } from '../sites/index.ts';
import type { AppliedUpdate, UpdateType } from './update.ts';
import type { Outcome } from './update-failures.ts';

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

export const resultOf = (
  site: KeyedSite,
  { updated, errors }: Pick<Outcome, 'updated' | 'errors'>,
  identifier?: string | number,
): UpdateJobResult => ({
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
  // Who named the site is told by that name; which of its items an error is about, its type and slug say.
  errors: identifier === undefined ? errors : errors.map((error) => ({ ...error, identifier })),
});

/** The result of a job that looked, as the run that it looked for has it. */
export const outcomeIn = ({ updated, errors }: UpdateJobResult): Outcome => ({
  updated: updated.map(({ type, slug, name, old_version, new_version }): AppliedUpdate => ({
    type,
    slug,
    name,
    oldVersion: old_version,
    newVersion: new_version,
  })),
  errors,
  open: [],
});
