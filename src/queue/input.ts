import type { Sealing } from '../db/sealing.ts';
import type { LeasedItem } from './job.ts';

/** Storage of a kind's job input: `keep` returns the value for the row, `open` returns the input of one item. */
export interface KeptInput<Input, OfItem = Input> {
  keep(input: Input): unknown;
  open(kept: unknown, item: LeasedItem): OfItem;
}

export type Reading<T> = (stored: unknown) => T;

/** Reads JSON without validation. Use it only if all releases have stored the same form. */
export const asWritten =
  <T>(): Reading<T> =>
  (stored) =>
    stored as T;

/** All items share the input, which is stored without encryption. */
export const plainInput = <Input>(): KeptInput<Input> => ({ keep: (input) => input, open: asWritten<Input>() });

export type NoInput = Readonly<Record<string, never>>;
export const noInput = plainInput<NoInput>();

/**
 * Stores inputs that contain secrets, by key. Each is encrypted separately, so that an item decrypts only its own
 * input. `open` returns null if there is no input for the item.
 */
export function sealedInputs<Input>(
  sealing: Sealing,
  kind: string,
  keyOf: (item: LeasedItem) => string,
): KeptInput<Readonly<Record<string, Input>>, Input | null> {
  const place = `jobs.input:${kind}`;
  const texts = asWritten<Record<string, string>>();
  const input = asWritten<Input>();
  return {
    keep: (inputs) =>
      Object.fromEntries(Object.entries(inputs).map(([key, each]) => [key, sealing.seal(JSON.stringify(each), place)])),
    open: (kept, item) => {
      const sealed = texts(kept)[keyOf(item)];
      return sealed === undefined ? null : input(JSON.parse(sealing.open(sealed, place)));
    },
  };
}
