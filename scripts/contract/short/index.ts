import { abilityOf } from './abilities.ts';
import { withEnvelopes } from './envelopes.ts';
import type { Source } from './source.ts';
import { twinsOf } from './twins.ts';

export type { Source } from './source.ts';

/** A source, by its place under openapi/, with all that it says in short written out. */
export const writtenOut = (name: string, source: Source): Source => twinsOf(abilityOf(withEnvelopes(name, source)));
