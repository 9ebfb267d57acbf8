import { changedThing, type ChangedThing } from '../../shared/changed-thing.ts';
import type { ChildUserProfile } from './child-user.ts';

/** Returns the values that are logged. The e-mail address and the other fields of a profile are private. */
const loggedValues = ({ displayName, roles }: ChildUserProfile) => ({ displayName, role: roles });

export function editOf(before: ChildUserProfile, after: ChildUserProfile): ChangedThing {
  return changedThing({ name: after.displayName, key: after.id }, loggedValues(before), loggedValues(after));
}

export const deletionOf = (user: ChildUserProfile): ChangedThing =>
  changedThing({ name: user.displayName, key: user.id }, loggedValues(user), null);
