import { DomainError } from '../shared/errors.ts';
import { asObject, readField, readText } from './answers/json-values.ts';
import type { ChildLink } from './child-site.ts';
import {
  toAdminError,
  algorithmRefusedError,
  parseChildError,
  keyMismatchError,
  notAdminError,
  notConnectedError,
  unexpectedAnswerError,
  operationFailedError,
  unknownUserError,
  type ChildError,
} from './child-errors.ts';
import type { FormFields } from './form-encoding.ts';
import { collectSecrets } from './secret-detection.ts';
import { KEY_CHECK_CALL, type SignedCall } from './signed-call.ts';
import { DEFAULT_SCHEME, isDefaultScheme, makeNonce, type SignatureScheme } from './signing.ts';

/** Sends further requests to the site during a call. They use the slot that the call has in the scheduler. */
export interface FollowUpCaller {
  readonly scheme: SignatureScheme;
  signed(link: ChildLink, call: SignedCall): Promise<unknown>;
  unsigned(link: ChildLink, fields: FormFields): Promise<unknown>;
}

/**
 * Returns the cause of an error response to a signed call. The refusals of a key and of a user have no code and are
 * translated (protocol 0.5), so further requests are sent to the site:
 * - without a signature, to see if it is still connected (protocol 5.3.3);
 * - with a small signed call that changes nothing;
 * - if that is refused too, with a wrong signature and with a user name that does not exist.
 *
 * The child checks the signature first, and has one sentence for each refusal. The answers show if the site accepts the
 * key, and if not, whether it refuses the key or the administrator. If the settings have another scheme than the
 * default one, a call with the default scheme shows if the site accepts the key and only refuses the scheme.
 */
export async function diagnoseRefusal(
  ask: FollowUpCaller,
  link: ChildLink,
  error: ChildError,
  refusalOf: (error: ChildError) => DomainError = operationFailedError,
): Promise<Error> {
  const admin = toAdminError(error);
  if (admin) return admin;
  const byCode = error.code === 'PARSE_ERROR1' || error.code === 'PARSE_ERROR2';
  if (error.code !== null && !byCode) return operationFailedError(error);
  const isRefusedKey = error.authentication || byCode;
  try {
    return await causeByFollowUps(ask, link, error, { isRefusedKey, refusalOf });
  } catch (failure) {
    // The outcome of a further request is not that of the call, which the site may have carried out.
    if (isRefusedKey || !(failure instanceof DomainError)) throw failure;
    return operationFailedError(error);
  }
}

async function causeByFollowUps(
  ask: FollowUpCaller,
  link: ChildLink,
  error: ChildError,
  { isRefusedKey, refusalOf }: { isRefusedKey: boolean; refusalOf: (error: ChildError) => DomainError },
): Promise<Error> {
  const hello = asObject(await ask.unsigned(link, { user: link.admin, function: 'stats' }));
  if (readText(readField(hello, 'version'), 64) !== '') return notConnectedError(error);
  if (parseChildError(hello) === null) return unexpectedAnswerError(true);
  const complaintTo = async (user: string, how: Pick<SignedCall, 'hasWrongSignature' | 'scheme'> = {}) =>
    parseChildError(await ask.signed({ ...link, admin: user }, { ...KEY_CHECK_CALL, ...how }), () =>
      collectSecrets(link),
    );
  const isAlgorithm = async (): Promise<boolean> =>
    !isDefaultScheme(ask.scheme) && (await complaintTo(link.admin, { scheme: DEFAULT_SCHEME })) === null;
  if (isRefusedKey) return (await isAlgorithm()) ? algorithmRefusedError(error) : keyMismatchError(error);
  const ofUs = await complaintTo(link.admin);
  if (ofUs === null) return refusalOf(error);
  if (await isAlgorithm()) return algorithmRefusedError(error);
  const ofKey = await complaintTo(link.admin, { hasWrongSignature: true });
  if (ofKey === null) return unexpectedAnswerError(true);
  if (ofKey.sentence === ofUs.sentence) return keyMismatchError(error);
  const ofNobody = await complaintTo(`nobody-${makeNonce()}`);
  return ofNobody?.sentence === ofUs.sentence ? unknownUserError(ofUs) : notAdminError(ofUs);
}
