/** What a change of the setting does: `behaviour` is followed by this service, `preference` is kept for front ends. */
export type Effect = 'behaviour' | 'preference';

/** What came in is either a value or breaks a rule. */
export type Checked<T> = { value: T } | { problem: string };

export interface Definition<T> {
  kind: 'integer' | 'flag';
  default: T;
  effect: Effect;
  check(input: unknown): Checked<T>;
}

export type Flag = 0 | 1;

interface Range {
  min: number;
  max: number;
  default: number;
  effect: Effect;
}

export function integer({ min, max, effect, default: fallback }: Range): Definition<number> {
  return {
    kind: 'integer',
    default: fallback,
    effect,
    check: (input) =>
      typeof input === 'number' && Number.isInteger(input) && input >= min && input <= max
        ? { value: input }
        : { problem: `must be a whole number from ${min} to ${max}` },
  };
}

const FLAGS = new Map<unknown, Flag>([
  [0, 0],
  [1, 1],
  ['0', 0],
  ['1', 1],
  [false, 0],
  [true, 1],
]);

/** Kept and shown as 0 or 1, whatever spelling comes in. */
export function flag({ effect, default: fallback }: { effect: Effect; default: Flag }): Definition<Flag> {
  return {
    kind: 'flag',
    default: fallback,
    effect,
    check: (input) => {
      const value = FLAGS.get(input);
      return value === undefined ? { problem: 'must be 0 or 1' } : { value };
    },
  };
}
