import { isDeepStrictEqual } from 'node:util';
import { componentNameOf, type Schema } from '../../contract/index.ts';
import type { Difference, Kind } from './kinds.ts';
import { compareLimits } from './limits.ts';
import { withoutWording, resolveSchema, rewordedKeys, shapeOf, typesOf, valuesOf, type SchemaShape } from './shapes.ts';

export type Direction = 'input' | 'answer';

export interface SchemaComparison {
  differences: Difference[];
  pairs: Set<string>;
}

interface SchemaPosition {
  direction: Direction;
  subject: string;
  into: SchemaComparison;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const listed = (values: readonly unknown[]): string => values.map(shown).join(', ');
const has = (values: readonly unknown[], value: unknown): boolean =>
  values.some((each) => isDeepStrictEqual(each, value));

/**
 * True if both the name of the referenced schema and the keywords beside the `$ref` have changed. A limit may then have
 * moved from the keywords into the schema, or back.
 */
function movesLimits(before: Schema, after: Schema): boolean {
  if (componentNameOf(before) === componentNameOf(after)) return false;
  const limitsOf = ({ $ref: _reference, default: _default, ...beside }: Schema): unknown => withoutWording(beside);
  return !isDeepStrictEqual(limitsOf(before), limitsOf(after));
}

/** Compares each named schema only once per direction, because many operations refer to it. */
export class SchemaComparer {
  readonly #before: object;
  readonly #after: object;
  readonly #known = new Map<string, SchemaComparison>();

  constructor(before: object, after: object) {
    this.#before = before;
    this.#after = after;
  }

  compare(before: Schema, after: Schema, direction: Direction, subject: string): SchemaComparison {
    const into: SchemaComparison = { differences: [], pairs: new Set() };
    this.#compare(before, after, { direction, subject, into });
    return into;
  }

  /** Yields the differences of a comparison and of the named schemas that it refers to, directly or indirectly. */
  *all({ differences, pairs }: SchemaComparison): Generator<Difference> {
    yield* differences;
    const met = new Set<string>(pairs);
    for (const key of met) {
      const below = this.#known.get(key);
      if (!below) continue;
      yield* below.differences;
      for (const each of below.pairs) met.add(each);
    }
  }

  #compare(before: Schema, after: Schema, place: SchemaPosition): void {
    if (before.$ref !== undefined && after.$ref !== undefined) {
      if (movesLimits(before, after)) return this.#compareResolved(before, after, place);
      this.#compareNamed(before, after, place);
      this.#compareBeside(before, after, place);
      return;
    }
    const [old, now] = [shapeOf(this.#before, before), shapeOf(this.#after, after)];
    if (before.anyOf ?? before.oneOf ?? after.anyOf ?? after.oneOf) recordWording(before, after, place);
    this.#compareNull(old, now, place);
    this.#compareDefault(resolveSchema(this.#before, before), resolveSchema(this.#after, after), place);
    this.#compareVariants(old, now, place);
  }

  #compareNamed(before: Schema, after: Schema, { direction, subject, into }: SchemaPosition): void {
    const [old = '', now = ''] = [componentNameOf(before), componentNameOf(after)];
    const name = old === now ? old : subject;
    const key = `${direction} ${old} ${now} ${name}`;
    into.pairs.add(key);
    if (this.#known.has(key)) return;
    const comparison: SchemaComparison = { differences: [], pairs: new Set() };
    this.#known.set(key, comparison);
    const place: SchemaPosition = { direction, subject: name, into: comparison };
    if (old !== now) recordDifference(place, 'schema-renamed', `The schema ${old} is called ${now}.`);
    this.#compare(
      resolveSchema(this.#before, { $ref: before.$ref }),
      resolveSchema(this.#after, { $ref: after.$ref }),
      place,
    );
  }

  #compareResolved(before: Schema, after: Schema, place: SchemaPosition): void {
    const message = `The schema ${componentNameOf(before)} is called ${componentNameOf(after)}.`;
    recordDifference(place, 'schema-renamed', message);
    this.#compare(resolveSchema(this.#before, before), resolveSchema(this.#after, after), place);
  }

  #compareBeside(before: Schema, after: Schema, place: SchemaPosition): void {
    const [{ $ref: _old, ...old }, { $ref: _now, ...now }] = [before, after];
    this.#compareDefault(old, now, place);
    this.#compareValue(old, now, place);
  }

  #compareNull(before: SchemaShape, after: SchemaShape, place: SchemaPosition): void {
    if (before.nullable === after.nullable) return;
    const { subject } = place;
    if (place.direction === 'answer') {
      if (after.nullable) recordDifference(place, 'field-nullable', `${subject} may be null.`);
      else recordDifference(place, 'answer-narrowed', `${subject} is never null.`);
    } else if (after.nullable) recordDifference(place, 'input-widened', `${subject} takes null.`);
    else recordDifference(place, 'input-null-refused', `${subject} does not take null any more.`);
  }

  #compareDefault(before: Schema, after: Schema, place: SchemaPosition): void {
    if (place.direction === 'answer' || isDeepStrictEqual(before.default, after.default)) return;
    const { subject } = place;
    if (before.default === undefined)
      recordDifference(place, 'default-added', `${subject} has the default ${shown(after.default)}.`);
    else if (after.default === undefined)
      recordDifference(
        place,
        'default-changed',
        `${subject} has no default any more; it was ${shown(before.default)}.`,
      );
    else
      recordDifference(
        place,
        'default-changed',
        `The default of ${subject} is ${shown(after.default)}, not ${shown(before.default)}.`,
      );
  }

  #compareVariants(before: SchemaShape, after: SchemaShape, place: SchemaPosition): void {
    const pairs: [Schema, Schema][] = [];
    const left = [...after.variants];
    const take = (fits: (schema: Schema) => boolean): Schema | undefined => {
      const at = left.findIndex(fits);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    const isSame = (one: Schema, other: Schema): boolean =>
      one.$ref !== undefined || other.$ref !== undefined
        ? one.$ref === other.$ref
        : isDeepStrictEqual(withoutWording(one), withoutWording(other));
    const lone = before.variants.filter((old) => {
      const now = take((each) => isSame(old, each));
      if (now) pairs.push([old, now]);
      return !now;
    });
    const isAlike = (old: Schema, now: Schema): boolean => kindOf(this.#before, old) === kindOf(this.#after, now);
    const gone = lone.filter((old) => {
      // A single variant on each side was changed, not replaced. Several variants are paired by their kind.
      const now = lone.length === 1 && left.length === 1 ? left.pop() : take((each) => isAlike(old, each));
      if (now) pairs.push([old, now]);
      return !now;
    });
    for (const [old, now] of pairs)
      if (old.$ref !== undefined && now.$ref !== undefined) this.#compare(old, now, place);
      else this.#compareValue(resolveSchema(this.#before, old), resolveSchema(this.#after, now), place);
    for (const schema of gone) this.#noteVariant(schema, 'gone', place);
    for (const schema of left) this.#noteVariant(schema, 'new', place);
  }

  #noteVariant(schema: Schema, what: 'gone' | 'new', place: SchemaPosition): void {
    const name = componentNameOf(schema) ?? ([...(typesOf(schema) ?? [])].join(' or ') || 'anything');
    const { direction, subject } = place;
    const message = what === 'gone' ? `${subject} is ${name} no more.` : `${subject} may be ${name}.`;
    if (direction === 'input')
      recordDifference(place, what === 'gone' ? 'input-variant-removed' : 'input-widened', message);
    else recordDifference(place, what === 'gone' ? 'answer-narrowed' : 'variant-added', message);
  }

  /** Compares two schemas that have one variant each and no reference. */
  #compareValue(before: Schema, after: Schema, place: SchemaPosition): void {
    const { subject } = place;
    recordWording(before, after, place);
    if (!before['deprecated'] && after['deprecated'])
      recordDifference(place, 'deprecated', `${subject} is deprecated.`);
    this.#compareTypes(before, after, place);
    this.#compareValues(before, after, place);
    this.#compareKnownValues(before, after, place);
    this.#compareForm(before, after, place);
    this.#compareSpellings(before, after, place);
    this.#compareObjects(before, after, place);
    if (before.items ?? after.items)
      this.#compare(before.items ?? {}, after.items ?? {}, { ...place, subject: `${subject}[]` });
    const [names, newNames] = [before['propertyNames'], after['propertyNames']] as (Schema | undefined)[];
    if (names ?? newNames) this.#compareValue(names ?? {}, newNames ?? {}, { ...place, subject: `${subject}.(names)` });
  }

  #compareTypes(before: Schema, after: Schema, place: SchemaPosition): void {
    const [old, now] = [typesOf(before), typesOf(after)];
    const { subject } = place;
    const say = (types: Set<string> | null): string => (types ? [...types].join(' or ') : 'anything');
    const message = `${subject} is ${say(now)}, not ${say(old)}.`;
    if (say(old) === say(now)) return;
    const narrowed = now !== null && (old === null || [...old].some((type) => !allows(now, type)));
    const widened = old !== null && (now === null || [...now].some((type) => !allows(old, type)));
    if (place.direction === 'input')
      recordDifference(place, narrowed ? 'input-type-narrowed' : 'input-widened', message);
    else recordDifference(place, widened ? 'type-changed' : 'answer-narrowed', message);
  }

  #compareValues(before: Schema, after: Schema, place: SchemaPosition): void {
    const [old, now] = [valuesOf(before), valuesOf(after)];
    const { subject } = place;
    const isInput = place.direction === 'input';
    if (isDeepStrictEqual(old, now)) return;
    if (!old || !now) {
      const message = now ? `${subject} is one of ${listed(now)}.` : `${subject} may be any value.`;
      if (isInput) recordDifference(place, now ? 'input-value-removed' : 'input-widened', message);
      else recordDifference(place, now ? 'answer-narrowed' : 'value-added', message);
      return;
    }
    const gone = old.filter((value) => !has(now, value));
    const added = now.filter((value) => !has(old, value));
    if (gone.length > 0)
      recordDifference(
        place,
        isInput ? 'input-value-removed' : 'value-removed',
        isInput
          ? `${subject} does not take ${listed(gone)} any more.`
          : `${subject} is never ${listed(gone)} any more.`,
      );
    if (added.length > 0)
      recordDifference(
        place,
        isInput ? 'input-widened' : 'value-added',
        isInput ? `${subject} takes ${listed(added)}.` : `${subject} may be ${listed(added)}.`,
      );
  }

  /** Compares the known values of an extensible enum. Clients accept unknown values, so a new value is not breaking. */
  #compareKnownValues(before: Schema, after: Schema, place: SchemaPosition): void {
    const [old, now] = [before, after].map((each) => (each['x-extensible-enum'] ?? []) as unknown[]);
    if (!before['x-extensible-enum'] || !after['x-extensible-enum'] || !old || !now) return;
    const added = now.filter((value) => !has(old, value));
    const gone = old.filter((value) => !has(now, value));
    if (added.length > 0) recordDifference(place, 'known-value-added', `${place.subject} may be ${listed(added)}.`);
    if (gone.length > 0) recordDifference(place, 'value-removed', `${place.subject} is never ${listed(gone)}.`);
  }

  #compareForm(before: Schema, after: Schema, place: SchemaPosition): void {
    const { subject } = place;
    const isInput = place.direction === 'input';
    for (const { keyword, before: old, after: now, narrower } of compareLimits(before, after)) {
      const message = `${keyword} of ${subject} is ${shown(now)}, not ${shown(old)}.`;
      if (isInput) recordDifference(place, narrower ? 'input-limit-tightened' : 'input-widened', message);
      else recordDifference(place, narrower ? 'answer-narrowed' : 'limit-loosened', message);
    }
    for (const keyword of ['pattern', 'format'] as const) {
      const [old, now] = [before[keyword], after[keyword]];
      if (old === now) continue;
      const message = `The ${keyword} of ${subject} is ${shown(now)}, not ${shown(old)}.`;
      const isHarmless = isInput ? now === undefined : old === undefined && keyword === 'pattern';
      if (isHarmless) recordDifference(place, isInput ? 'input-widened' : 'answer-narrowed', message);
      else recordDifference(place, isInput ? `input-${keyword}-changed` : `${keyword}-changed`, message);
    }
  }

  #compareSpellings(before: Schema, after: Schema, place: SchemaPosition): void {
    if (place.direction === 'answer') return;
    const { subject } = place;
    const [old, now] = [aliasesOf(before), aliasesOf(after)];
    const gone = Object.keys(old).filter((name) => now[name] !== old[name]);
    if (gone.length > 0)
      recordDifference(place, 'input-spelling-removed', `${subject} does not know ${listed(gone)} any more.`);
    if (Object.keys(now).some((name) => !(name in old)))
      recordDifference(place, 'input-widened', `${subject} knows further names.`);
    if (before['x-duration'] !== undefined && after['x-duration'] !== before['x-duration'])
      recordDifference(place, 'input-spelling-removed', `${subject} is not read as x-duration any more.`);
  }

  #compareObjects(before: Schema, after: Schema, place: SchemaPosition): void {
    const { direction, subject } = place;
    const old = propertiesOf(before, direction);
    const now = propertiesOf(after, direction);
    const gone = Object.keys(old).filter((name) => !(name in now));
    const added = Object.keys(now).filter((name) => !(name in old));
    for (const name of gone) {
      const renamed = added.find((each) => this.#isRenamed(old[name], now[each]));
      if (renamed !== undefined) added.splice(added.indexOf(renamed), 1);
      const at = { ...place, subject: `${subject}.${name}` };
      const isInput = direction === 'input';
      if (renamed !== undefined)
        recordDifference(
          at,
          isInput ? 'input-field-renamed' : 'field-renamed',
          `${subject}.${name} is called ${renamed}.`,
        );
      else if (isInput) recordDifference(at, 'input-field-removed', `${subject} does not take ${name} any more.`);
      else recordDifference(at, 'field-removed', `${subject} has no ${name} any more.`);
    }
    for (const name of added) recordNewField(name, isRequired(after, name), place);
    for (const name of Object.keys(old).filter((each) => each in now)) {
      compareRequired(isRequired(before, name), isRequired(after, name), { ...place, subject: `${subject}.${name}` });
      this.#compare(old[name] as Schema, now[name] as Schema, { ...place, subject: `${subject}.${name}` });
    }
    this.#compareFurther(before.additionalProperties, after.additionalProperties, place);
  }

  #isRenamed(before: Schema | undefined, after: Schema | undefined): boolean {
    return isDeepStrictEqual(withoutWording(before), withoutWording(after));
  }

  #compareFurther(
    before: Schema['additionalProperties'],
    after: Schema['additionalProperties'],
    place: SchemaPosition,
  ): void {
    const { direction, subject } = place;
    const [old, now] = [before !== false, after !== false];
    if (old && now && (typeof before === 'object' || typeof after === 'object'))
      this.#compare(furtherOf(before), furtherOf(after), { ...place, subject: `${subject}.*` });
    if (old === now) return;
    if (direction === 'input')
      if (now) recordDifference(place, 'input-opened', `${subject} takes further fields.`);
      else recordDifference(place, 'input-closed', `${subject} takes no further fields any more.`);
    else if (now) recordDifference(place, 'answer-opened', `${subject} may have further fields.`);
    else recordDifference(place, 'answer-narrowed', `${subject} has no further fields.`);
  }
}

function recordDifference({ subject, into }: SchemaPosition, kind: Kind, message: string): void {
  into.differences.push({ kind, subject, message });
}

function recordWording(before: Schema, after: Schema, place: SchemaPosition): void {
  const changed = rewordedKeys(before, after);
  if (changed.length > 0) recordDifference(place, 'wording', `${place.subject}: ${changed.join(', ')} reworded.`);
}

const furtherOf = (further: Schema['additionalProperties']): Schema => (typeof further === 'object' ? further : {});

const kindOf = (document: object, schema: Schema): string =>
  [...(typesOf(resolveSchema(document, schema)) ?? [])].sort().join();

const allows = (types: Set<string>, type: string): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));

const isRequired = ({ required = [] }: Schema, name: string): boolean => required.includes(name);

function propertiesOf({ properties = {} }: Schema, direction: Direction): Record<string, Schema> {
  const hidden = direction === 'input' ? 'readOnly' : 'writeOnly';
  return Object.fromEntries(Object.entries(properties).filter(([, schema]) => schema[hidden] !== true));
}

/** The contract of release 0.1.0 has the aliases of values in the key `x-synonyms`. */
const aliasesOf = (schema: Schema): Record<string, string> => ({
  ...(schema['x-synonyms'] as Record<string, string> | undefined),
  ...schema['x-aliases'],
});

function recordNewField(name: string, required: boolean, place: SchemaPosition): void {
  const at = { ...place, subject: `${place.subject}.${name}` };
  if (place.direction === 'answer') recordDifference(at, 'field-added', `${place.subject} has ${name}.`);
  else if (required) recordDifference(at, 'input-field-required', `${place.subject} asks for ${name}, which is new.`);
  else recordDifference(at, 'input-field-added', `${place.subject} takes ${name}.`);
}

function compareRequired(before: boolean, after: boolean, place: SchemaPosition): void {
  if (before === after) return;
  const { subject } = place;
  if (place.direction === 'input')
    if (after) recordDifference(place, 'input-field-required', `${subject} must be sent.`);
    else recordDifference(place, 'input-field-optional', `${subject} may be left out.`);
  else if (after) recordDifference(place, 'field-always', `${subject} is always there.`);
  else recordDifference(place, 'field-optional', `${subject} may be missing.`);
}
