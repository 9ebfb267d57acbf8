import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { ChildUserProfile } from './child-user.ts';

/** Omits the e-mail address and the other fields of a profile, because they are private. */
const loggedValues = ({ displayName, roles }: ChildUserProfile) => ({ displayName, role: roles });

export function describeUserEdit(before: ChildUserProfile, after: ChildUserProfile): ChangedObject {
  return describeChangedObject({ name: after.displayName, key: after.id }, loggedValues(before), loggedValues(after));
}

export const describeUserDeletion = (user: ChildUserProfile): ChangedObject =>
  describeChangedObject({ name: user.displayName, key: user.id }, loggedValues(user), null);
