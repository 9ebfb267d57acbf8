import { CodedInvalidError } from '../../shared/errors.ts';

/** Destructive abilities ask twice; a preview is no destruction, and the caller asks for it before this. */
export function requireConfirmation({ confirm }: { confirm: boolean }): void {
  if (!confirm)
    throw new CodedInvalidError('svc_confirmation_required', 'confirm must be true.', {
      errors: [{ path: 'confirm', message: 'must be true' }],
    });
}
