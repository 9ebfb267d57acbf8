import { abilityOf } from './abilities.ts';
import { withEnvelopes } from './envelopes.ts';
import { withExamples } from './examples.ts';
import { withLikeness } from './likeness.ts';
import { withSegment } from './report-segments.ts';
import { withGroup, withGroupPaths } from './settings.ts';
import type { Source, Sources } from './source.ts';
import { twinsOf } from './twins.ts';

export type { Source, Sources } from './source.ts';

/**
 * A source with the schemas that follow from its segment of the reports or its group of settings, with the envelopes of
 * its answers, and with the shapes of the settings that its fields are like.
 */
export const withSchemas = (name: string, source: Source, sources: Sources): Source =>
  withEnvelopes(name, withGroup(name, withSegment(name, withLikeness(source, sources))));

/** A source, by its place under openapi/, with all that it says in short written out. */
export function writtenOut(name: string, source: Source, sources: Sources = new Map()): Source {
  const whole = withExamples(name, withSchemas(name, source, sources), sources);
  return twinsOf(abilityOf(withGroupPaths(whole)));
}
