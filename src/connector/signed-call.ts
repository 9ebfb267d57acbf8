import type { DomainError } from '../shared/errors.ts';
import type { ChildLink } from './child-site.ts';
import type { ChildError } from './child-errors.ts';
import { LIST_RESPONSE_LIMITS, type ResponseLimits } from './json-limit-checker.ts';
import type { CallKind } from './connector-limits.ts';
import type { FormFields } from './form-encoding.ts';
import type { SignatureScheme } from './signing.ts';

/**
 * Defaults: `limits` is `STATE_RESPONSE_LIMITS`, `scheme` is that of the settings, `toRefusal` is
 * `operationFailedError`.
 */
export interface SignedCall {
  kind: CallKind;
  functionName: string;
  fields?: FormFields;
  reads: boolean;
  withCookies?: boolean;
  limits?: ResponseLimits;
  secret?: string | undefined;
  scheme?: SignatureScheme | undefined;
  hasWrongSignature?: boolean;
  toRefusal?: ((error: ChildError) => DomainError) | undefined;
  onPreface?: ((html: string) => void) | undefined;
  /** Called with the JSON text of a response. If it returns true, the text is not parsed; the result is undefined. */
  isKnown?: ((json: string) => boolean) | undefined;
  /** True for an error that is a valid result: it is returned, and its cause is not looked for. */
  isExpected?: ((error: ChildError) => boolean) | undefined;
}

/** Sends signed calls through the scheduler. Throws domain errors, which contain nothing of the request. */
export interface SignedCaller {
  signed(link: ChildLink, call: SignedCall): Promise<unknown>;
}

export type ActionCall = Omit<SignedCall, 'kind' | 'size'>;

export const createActionSender =
  (caller: SignedCaller) =>
  (link: ChildLink, call: ActionCall): Promise<unknown> =>
    caller.signed(link, { kind: 'action', limits: LIST_RESPONSE_LIMITS, ...call });

/** Small signed call that changes nothing and that every version of the child plugin knows (protocol 4.2). */
export const KEY_CHECK_CALL: SignedCall = {
  kind: 'action',
  functionName: 'get_all_plugins',
  fields: { filter: 1, status: 'active', keyword: 'mainwp' },
  reads: true,
};
