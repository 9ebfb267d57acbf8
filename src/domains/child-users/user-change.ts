import { changedThing, type ChangedThing } from '../../shared/changed-thing.ts';
import type { ChildUserProfile } from './child-user.ts';

/** What the log keeps of a user; an e-mail address and the rest of a profile are nobody's business. */
const kept = ({ displayName, roles }: ChildUserProfile) => ({ displayName, role: roles });

export function editOf(before: ChildUserProfile, after: ChildUserProfile): ChangedThing {
  return changedThing({ name: after.displayName, key: after.id }, kept(before), kept(after));
}

export const deletionOf = (user: ChildUserProfile): ChangedThing =>
  changedThing({ name: user.displayName, key: user.id }, kept(user), null);
