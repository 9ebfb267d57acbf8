import { isTransient } from '../../db/dialect.ts';
import { toUnavailableError } from '../../db/database-unavailable.ts';
import { DatabaseUnavailableError } from '../../shared/errors.ts';
import type { SyncError } from './sync-error.ts';

/**
 * Ends a transaction because of one section of a report, so that the transaction can run again without this section.
 */
export class SectionError extends Error {
  readonly section: string;

  constructor(section: string, cause: unknown) {
    super(`The section ${section} could not be stored.`, { cause });
    this.section = section;
  }
}

/** Causes by the names of the sections that could not be read or stored. */
export type FailedSections = Map<string, unknown>;

/** True if another attempt may succeed. Such an error says nothing about a section. */
export const isDatabaseError = (error: unknown): boolean =>
  isTransient(error) || toUnavailableError(error) instanceof DatabaseUnavailableError;

export async function withSectionError<T>(section: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDatabaseError(error) ? error : new SectionError(section, error);
  }
}

/** Repeats `work` until it succeeds. `work` skips the sections in `failed`, so the other sections are stored. */
export async function withoutFailingSections(failed: FailedSections, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SectionError)) throw error;
      failed.set(error.section, error.cause);
    }
  }
}

export function failedSectionsError(failed: FailedSections): SyncError {
  const names = [...failed.keys()].join(', ');
  const message = `The site was reached, but these parts of its report could not be stored: ${names}.`;
  return { code: 'svc_internal_error', message };
}
