import type { DomainError } from '../shared/errors.ts';
import { asObject, field, text } from './answers/values.ts';
import type { ChildLink } from './child-site.ts';
import {
  adminRefusal,
  childErrorOf,
  keyMismatch,
  notAdmin,
  notConnected,
  notUnderstood,
  operationFailed,
  unknownUser,
  type ChildError,
} from './classify.ts';
import type { Fields } from './payload.ts';
import { secretsOf } from './secrets.ts';
import { KEY_CHECK, type SignedCall } from './signed-call.ts';
import { makeNonce } from './signing.ts';

/** How a site is asked in the middle of a call: at once, because the call has its place already. */
export interface Inquiry {
  signed(link: ChildLink, call: SignedCall): Promise<unknown>;
  unsigned(link: ChildLink, fields: Fields): Promise<unknown>;
}

/** Of the right length, and of no key. */
const WRONG_SIGNATURE = Buffer.alloc(256, 1).toString('base64');

/**
 * Says what an error to a signed call means. The refusals of a key and of a user have no code and are translated
 * (protocol 0.5), so the site is asked: whether we are still known, without a signature (5.3.3); then with a small
 * call that changes nothing, and where that is refused as well, with a wrong signature and in the name of nobody. The
 * child looks at the signature first, and has one sentence for each refusal: a working site must not be taken for a
 * lost one, nor an administrator that is gone for a lost key.
 */
export async function judgeRefusal(
  ask: Inquiry,
  link: ChildLink,
  error: ChildError,
  refusalOf: (error: ChildError) => DomainError = operationFailed,
): Promise<Error> {
  const admin = adminRefusal(error);
  if (admin) return admin;
  const byCode = error.code === 'PARSE_ERROR1' || error.code === 'PARSE_ERROR2';
  if (error.code !== null && !byCode) return operationFailed(error);
  const hello = asObject(await ask.unsigned(link, { user: link.admin, function: 'stats' }));
  if (text(field(hello, 'version'), 64) !== '') return notConnected(error);
  if (childErrorOf(hello) === null) return notUnderstood(true);
  if (error.authentication || byCode) return keyMismatch(error);
  const complaintTo = async (user: string, signature?: string): Promise<ChildError | null> =>
    childErrorOf(await ask.signed({ ...link, admin: user }, { ...KEY_CHECK, signature }), secretsOf(link));
  const ofUs = await complaintTo(link.admin);
  if (ofUs === null) return refusalOf(error);
  const ofKey = await complaintTo(link.admin, WRONG_SIGNATURE);
  if (ofKey === null) return notUnderstood(true);
  if (ofKey.sentence === ofUs.sentence) return keyMismatch(error);
  const ofNobody = await complaintTo(`nobody-${makeNonce()}`);
  return ofNobody?.sentence === ofUs.sentence ? unknownUser(ofUs) : notAdmin(ofUs);
}
