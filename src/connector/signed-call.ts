import type { DomainError } from '../shared/errors.ts';
import type { ChildLink } from './child-site.ts';
import type { ChildError } from './classify.ts';
import { LIST_SIZE, type AnswerSize } from './json-gauge.ts';
import type { CallKind } from './limits.ts';
import type { Fields } from './payload.ts';
import type { SignatureScheme } from './signing.ts';

/** A call that the child makes sure is ours. */
export interface SignedCall {
  kind: CallKind;
  functionName: string;
  fields?: Fields;
  /** Reading functions may be sent twice; changing ones never are. */
  reads: boolean;
  withCookies?: boolean;
  /** How large its answer may be; a state of the site, unless said. */
  size?: AnswerSize;
  /** A password that was sent and must not come back in the child's complaint. */
  secret?: string | undefined;
  /** How it is signed; as the settings have it, unless said. */
  scheme?: SignatureScheme | undefined;
  /** Stands in for the true one. */
  signature?: string | undefined;
  /** What a complaint means when the signature was good; that the operation failed, unless said. */
  refusalOf?: ((error: ChildError) => DomainError) | undefined;
  /** Is told what came before the frame of the answer. */
  onPreface?: ((html: string) => void) | undefined;
  /** A complaint that is as good as an answer: nothing more is asked about it. */
  expected?: ((error: ChildError) => boolean) | undefined;
}

/** Sends signed calls when it is their time. What it throws is a domain error; nothing of the request is in it. */
export interface SignedCaller {
  signed(link: ChildLink, call: SignedCall): Promise<unknown>;
}

export type ActionCall = Omit<SignedCall, 'kind' | 'size'>;

/** Actions on what a site has any number of; they answer with lists. */
export const sendAction =
  (caller: SignedCaller) =>
  (link: ChildLink, call: ActionCall): Promise<unknown> =>
    caller.signed(link, { kind: 'action', size: LIST_SIZE, ...call });

/** A small signed call that changes nothing and is known to every version (protocol 4.2). */
export const KEY_CHECK: SignedCall = {
  kind: 'action',
  functionName: 'get_all_plugins',
  fields: { filter: 1, status: 'active', keyword: 'mainwp' },
  reads: true,
};
