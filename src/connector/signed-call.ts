import type { DomainError } from '../shared/errors.ts';
import type { ChildLink } from './child-site.ts';
import type { ChildError } from './child-errors.ts';
import { LIST_LIMITS, type ResponseLimits } from './json-limit-checker.ts';
import type { CallKind } from './limits.ts';
import type { Fields } from './payload.ts';
import type { SignatureScheme } from './signing.ts';

export interface SignedCall {
  kind: CallKind;
  functionName: string;
  fields?: Fields;
  /** True for read functions, which may be sent twice. Calls that change something are never sent twice. */
  reads: boolean;
  withCookies?: boolean;
  /** Limits of the response. Default: those of the state of a site. */
  limits?: ResponseLimits;
  /** Password that is sent. A message of the child that repeats it is not shown. */
  secret?: string | undefined;
  /** Signature scheme. Default: that of the settings. */
  scheme?: SignatureScheme | undefined;
  signature?: string | undefined;
  /** Converts an error of the child if the signature was accepted. Default: the operation failed. */
  toRefusal?: ((error: ChildError) => DomainError) | undefined;
  onPreface?: ((html: string) => void) | undefined;
  /** Returns true for an error that is a valid result. It is returned without further requests. */
  isExpected?: ((error: ChildError) => boolean) | undefined;
}

/** Sends signed calls through the scheduler. Throws domain errors, which contain nothing of the request. */
export interface SignedCaller {
  signed(link: ChildLink, call: SignedCall): Promise<unknown>;
}

export type ActionCall = Omit<SignedCall, 'kind' | 'size'>;

/** Sends actions on users, posts and other lists. Their responses can be as large as lists. */
export const sendAction =
  (caller: SignedCaller) =>
  (link: ChildLink, call: ActionCall): Promise<unknown> =>
    caller.signed(link, { kind: 'action', limits: LIST_LIMITS, ...call });

/** Small signed call that changes nothing and that every version knows (protocol 4.2). */
export const KEY_CHECK: SignedCall = {
  kind: 'action',
  functionName: 'get_all_plugins',
  fields: { filter: 1, status: 'active', keyword: 'mainwp' },
  reads: true,
};
