/** What a change of the setting does: `behaviour` is followed by this service, `preference` is kept for front ends. */
export type Effect = 'behaviour' | 'preference';

/** What values a setting can have. */
export type Shape =
  | { readonly kind: 'flag' }
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'choice'; readonly values: readonly (string | number)[] }
  | { readonly kind: 'text'; readonly maxLength: number; readonly pattern?: string }
  | { readonly kind: 'list'; readonly maxItems: number; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> };

export type Definition = Shape & {
  readonly default: unknown;
  readonly effect: Effect;
  /** Taken, and told nobody. */
  readonly secret: boolean;
};

export type Flag = 0 | 1;

export type ValueOf<S> = S extends { kind: 'flag' }
  ? Flag
  : S extends { kind: 'integer' }
    ? number
    : S extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V
      : S extends { kind: 'text' }
        ? string
        : S extends { kind: 'list'; of: infer Of }
          ? readonly ValueOf<Of>[]
          : S extends { kind: 'object'; fields: infer Fields }
            ? { readonly [Name in keyof Fields]: ValueOf<Fields[Name]> }
            : never;

/** What came in is either a value or breaks a rule. */
export type Checked = { value: unknown } | { problem: string };

const FLAGS = new Map<unknown, Flag>([
  [0, 0],
  [1, 1],
  ['0', 0],
  ['1', 1],
  [false, 0],
  [true, 1],
]);

export function check(shape: Shape, input: unknown): Checked {
  switch (shape.kind) {
    case 'flag': {
      // Kept and shown as 0 or 1, whatever spelling comes in.
      const value = FLAGS.get(input);
      return value === undefined ? { problem: 'must be 0 or 1' } : { value };
    }
    case 'integer': {
      const { minimum, maximum } = shape;
      const fits = typeof input === 'number' && Number.isInteger(input) && input >= minimum && input <= maximum;
      return fits ? { value: input } : { problem: `must be a whole number from ${minimum} to ${maximum}` };
    }
    case 'choice':
      return (shape.values as readonly unknown[]).includes(input)
        ? { value: input }
        : { problem: `must be one of ${shape.values.join(', ')}` };
    case 'text':
      return checkText(shape, input);
    case 'list':
      return Array.isArray(input) && input.length <= shape.maxItems
        ? gathered(
            input.map((each, index): Part => [index, check(shape.of, each)]),
            (parts) => parts.map(([, value]) => value),
          )
        : { problem: `must be a list of at most ${shape.maxItems}` };
    case 'object':
      return checkObject(shape, input);
  }
}

function checkText({ maxLength, pattern }: Shape & { kind: 'text' }, input: unknown): Checked {
  if (typeof input !== 'string' || [...input].length > maxLength)
    return { problem: `must be a text of at most ${maxLength} characters` };
  return pattern === undefined || new RegExp(pattern, 'u').test(input)
    ? { value: input }
    : { problem: `must match ${pattern}` };
}

function checkObject({ fields }: Shape & { kind: 'object' }, input: unknown): Checked {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { problem: 'must be an object' };
  const strange = Object.keys(input).find((name) => !Object.hasOwn(fields, name));
  if (strange !== undefined) return { problem: `has no ${strange}` };
  const parts = Object.entries(fields).map(([name, shape]): Part => [name, check(shape, (input as Fields)[name])]);
  return gathered(parts, (values) => Object.fromEntries(values));
}

type Fields = Record<string, unknown>;
type Part = [name: string | number, checked: Checked];

/** The whole of its parts, or the problem of the first that has one. */
function gathered(parts: Part[], whole: (values: [string | number, unknown][]) => unknown): Checked {
  const values: [string | number, unknown][] = [];
  for (const [name, checked] of parts) {
    if ('problem' in checked) return { problem: `${name} ${checked.problem}` };
    values.push([name, checked.value]);
  }
  return { value: whole(values) };
}
