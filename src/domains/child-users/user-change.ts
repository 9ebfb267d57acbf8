import { known } from '../../shared/changed-values.ts';
import type { ChangedThing } from '../changes/index.ts';
import type { ChildUserProfile } from './child-user.ts';

/** What the log keeps of a user; an e-mail address and the rest of a profile are nobody's business. */
const kept = ({ displayName, roles }: ChildUserProfile) => known({ display_name: displayName, role: roles.join(', ') });

export function editOf(before: ChildUserProfile, after: ChildUserProfile): ChangedThing {
  const [old, now] = [kept(before), kept(after)];
  const changed = Object.keys({ ...old, ...now }).filter((field) => old[field] !== now[field]);
  const only = (values: typeof old) => known(Object.fromEntries(changed.map((field) => [field, values[field]])));
  return { name: after.displayName, key: after.id, before: only(old), after: only(now) };
}

export const deletionOf = (user: ChildUserProfile): ChangedThing => ({
  name: user.displayName,
  key: user.id,
  before: kept(user),
});
