import type { DomainError } from '../shared/errors.ts';
import { asObject, field, text } from './answers/values.ts';
import type { ChildLink } from './child-site.ts';
import {
  adminRefusal,
  algorithmRefused,
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
import { DEFAULT_SCHEME, isDefaultScheme, makeNonce, type SignatureScheme } from './signing.ts';

/** How a site is asked in the middle of a call: at once, because the call has its place already. */
export interface Inquiry {
  /** How the call was signed, and questions are. */
  readonly scheme: SignatureScheme;
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
 * lost one, nor an administrator that is gone for a lost key. Nor must a site that takes the key and refuses how we
 * sign: it is asked with the signature that every child takes, where the settings have another.
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
  const complaintTo = async (user: string, how: Pick<SignedCall, 'signature' | 'scheme'> = {}) =>
    childErrorOf(await ask.signed({ ...link, admin: user }, { ...KEY_CHECK, ...how }), () => secretsOf(link));
  const isAlgorithm = async (): Promise<boolean> =>
    !isDefaultScheme(ask.scheme) && (await complaintTo(link.admin, { scheme: DEFAULT_SCHEME })) === null;
  if (error.authentication || byCode) return (await isAlgorithm()) ? algorithmRefused(error) : keyMismatch(error);
  const ofUs = await complaintTo(link.admin);
  if (ofUs === null) return refusalOf(error);
  if (await isAlgorithm()) return algorithmRefused(error);
  const ofKey = await complaintTo(link.admin, { signature: WRONG_SIGNATURE });
  if (ofKey === null) return notUnderstood(true);
  if (ofKey.sentence === ofUs.sentence) return keyMismatch(error);
  const ofNobody = await complaintTo(`nobody-${makeNonce()}`);
  return ofNobody?.sentence === ofUs.sentence ? unknownUser(ofUs) : notAdmin(ofUs);
}
