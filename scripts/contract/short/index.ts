import { abilityOf } from './abilities.ts';
import { withEnvelopes } from './envelopes.ts';
import { withGroup, withGroupPaths } from './settings.ts';
import type { Source } from './source.ts';
import { twinsOf } from './twins.ts';

export type { Source } from './source.ts';

/** A source, by its place under openapi/, with all that it says in short written out. */
export function writtenOut(name: string, source: Source): Source {
  const whole = withGroup(name, withGroupPaths(source));
  return twinsOf(abilityOf(withEnvelopes(name, whole)));
}
