import { omitEmptyValues } from '../../shared/changed-values.ts';
import { ChildBadAnswerError, OutcomeUnknownError } from '../../shared/child-call-errors.ts';
import { ConflictError, type DomainError, NotFoundError } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import { changeDone, changeFailed, type Judgement, type VerifiedChange } from '../sites/index.ts';
import {
  alteredNameWarnings,
  alteredTextWarnings,
  hasOtherTexts,
  hasRequestedValues,
  type ChildUser,
  type ChildUserProfile,
  type NewUser,
  type CreatedUserOnSite,
  type UserPatch,
} from './child-user.ts';
import { describeUserDeletion, describeUserEdit } from './user-change-description.ts';

export interface EditedUser {
  profile: ChildUserProfile;
  warnings: string[];
}

/** Judges an edit by the profile that was read after it. A changed profile is logged even if the edit has failed. */
export function judgeUserEdit(
  before: ChildUserProfile,
  patch: UserPatch,
  change: VerifiedChange<void, ChildUserProfile>,
): Judgement<EditedUser> {
  const { state: after, callError, mayStillRun } = change;
  if (!after) return changeFailed(unreadError(change));
  const isChanged = JSON.stringify(before) !== JSON.stringify(after);
  const isIgnored = !isChanged && hasOtherTexts(after, patch);
  const error =
    isIgnored && !callError
      ? unchangedError('change the user')
      : editErrorOf(patch, after, isChanged, { callError, mayStillRun });
  const isProven = isChanged || (!error && patch.password !== undefined);
  const description = `Changed the user ${displayNameOf(after)}.`;
  const proven = isProven ? [{ type: 'user.updated', description, thing: describeUserEdit(before, after) }] : [];
  if (error) return changeFailed(error, proven);
  return changeDone({ profile: after, warnings: alteredTextWarnings(after, patch) }, proven);
}

function editErrorOf(
  patch: UserPatch,
  after: ChildUserProfile,
  isChanged: boolean,
  call: LostCall,
): DomainError | null {
  if (!hasRequestedValues(after, patch)) return unreachedError(call, 'change the user');
  // If the profile is unchanged, for example after an edit of the password, only a response shows that the edit ran.
  return call.callError && !isChanged ? unknownOutcome(call.callError) : null;
}

export function judgeUserDeletion(
  user: ChildUserProfile,
  change: VerifiedChange<ConflictError | null, { left: ChildUserProfile | null }>,
): Judgement<void> {
  const { answer: refusal, state } = change;
  if (!state) return changeFailed(unreadError(change));
  if (state.left) return changeFailed(refusal ?? unreachedError(change, 'delete the user'));
  const description = `Deleted the user ${displayNameOf(user)}.`;
  return changeDone(undefined, [{ type: 'user.deleted', description, thing: describeUserDeletion(user) }]);
}

export function judgeUserCreation(
  user: NewUser,
  change: VerifiedChange<void, { made: ChildUser | undefined }>,
): Judgement<CreatedUserOnSite> {
  if (!change.state) return changeFailed(unreadError(change));
  const { made } = change.state;
  if (!made) return changeFailed(unreachedError(change, 'create the user'));
  const { id, role } = made;
  const description = `Created the user ${user.username} with the role ${truncate(role, 64)}.`;
  const thing = { name: user.username, key: id, after: omitEmptyValues({ role }) };
  const proven = [{ type: 'user.created', description, thing }];
  const wanted = user.role ?? 'subscriber';
  if (role !== wanted) return changeFailed(otherRole(made, wanted), proven);
  const warnings = alteredNameWarnings(made, user);
  return changeDone({ id, role, ...(warnings.length > 0 && { warnings }) }, proven);
}

function unreadError({ callError, mayHaveRun, readError }: VerifiedChange<unknown, unknown>): DomainError {
  if (callError && !mayHaveRun) return callError;
  return readError instanceof NotFoundError ? readError : unknownOutcome(readError);
}

const displayNameOf = ({ id, displayName }: ChildUserProfile): string =>
  `${truncate(displayName, 100)} (${id})`.trimStart();

function otherRole({ id, role }: ChildUser, wanted: string): ConflictError {
  const made = role ? `the role ${truncate(role, 64)}` : 'no role';
  return new ConflictError(
    'svc_site_user_refused',
    `The site does not have the role ${wanted}. The user was created with ${made} and the ID ${id}.`,
  );
}

type LostCall = Pick<VerifiedChange<unknown, unknown>, 'mayStillRun' | 'callError'>;

const unreachedError = ({ mayStillRun, callError }: LostCall, what: string): DomainError =>
  mayStillRun ? unknownOutcome(callError) : unchangedError(what);

const unchangedError = (what: string): ChildBadAnswerError =>
  new ChildBadAnswerError(`The site did not ${what}.`, { outcome: 'answered' });

export const unknownOutcome = (cause?: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'svc_outcome_unknown',
    'The connection was lost after the call was sent. Check the user on the site before you repeat the call.',
    {},
    { cause },
  );
