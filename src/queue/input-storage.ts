import type { Sealing } from '../db/sealing.ts';
import type { LeasedItem } from './job.ts';

export interface InputStorage<Input, OfItem = Input> {
  toStored(input: Input): unknown;
  fromStored(kept: unknown, item: LeasedItem): OfItem;
}

export type ParseStored<T> = (stored: unknown) => T;

/** Reads JSON without validation. Use it only if all releases have stored the same form. */
export const createUnvalidatedParser =
  <T>(): ParseStored<T> =>
  (stored) =>
    stored as T;

export const plainInput = <Input>(): InputStorage<Input> => ({
  toStored: (input) => input,
  fromStored: createUnvalidatedParser<Input>(),
});

export type NoInput = Readonly<Record<string, never>>;
export const noInput = plainInput<NoInput>();

/**
 * Stores inputs that contain secrets, by the key of their item. Each input is encrypted separately, so that an item
 * decrypts only its own. An item without an input gets null.
 */
export function sealedInputs<Input>(
  sealing: Sealing,
  kind: string,
  keyOf: (item: LeasedItem) => string,
): InputStorage<Readonly<Record<string, Input>>, Input | null> {
  const place = `jobs.input:${kind}`;
  const texts = createUnvalidatedParser<Record<string, string>>();
  const input = createUnvalidatedParser<Input>();
  return {
    toStored: (inputs) =>
      Object.fromEntries(Object.entries(inputs).map(([key, each]) => [key, sealing.seal(JSON.stringify(each), place)])),
    fromStored: (kept, item) => {
      const sealed = texts(kept)[keyOf(item)];
      return sealed === undefined ? null : input(JSON.parse(sealing.open(sealed, place)));
    },
  };
}
