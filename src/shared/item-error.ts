import { isItemErrorCode, type ItemErrorCode } from './error-codes.ts';
import { DomainError } from './errors.ts';

export interface ItemError {
  identifier: string | number;
  code: ItemErrorCode;
  message: string;
  site_id?: number;
  site_url?: string;
  type?: string;
  slug?: string;
  job_id?: string;
  /** Stable identifier of the cause. For a failed update, the error code of WordPress. */
  reason?: string;
  /** Message of the site as plain text. */
  child_message?: string;
  rollback?: UpdateRollback;
}

/** Attempt to restore the version from before an update, with the field names of the API. */
export interface UpdateRollback {
  result: 'done' | 'failed';
  old_version: string;
  new_version: string;
  /** Check that found the site broken. Null if the site itself was never broken. */
  probe: string | null;
  /** Message, file and line of the fatal error in PHP; null if WordPress names none. */
  cause: string | null;
  file: string | null;
  line: number | null;
  /** Null if the rollback failed. */
  broken_seconds: number | null;
  pin: string | null;
  left: Remainder[];
}

/** What remains on a site after an update, activation or deactivation was rolled back. */
export type Remainder = 'database' | 'new_version' | 'inactive_plugin' | 'active_plugin' | 'guard_file';

export function itemErrorOf(identifier: string | number, error: unknown, place: Partial<ItemError> = {}): ItemError {
  if (error instanceof DomainError && isItemErrorCode(error.code))
    return { identifier, code: error.code, message: error.message, ...childErrorFieldsOf(error), ...place };
  return { identifier, code: 'svc_internal_error', message: 'Something went wrong on our side.', ...place };
}

function childErrorFieldsOf({
  data: { reason, child_message },
}: DomainError): Pick<ItemError, 'reason' | 'child_message'> {
  return {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof child_message === 'string' && { child_message }),
  };
}
