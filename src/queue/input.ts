import type { Sealing } from '../db/sealing.ts';
import type { LeasedItem } from './job.ts';

/** How a kind keeps what its jobs are asked to do: `keep` makes what the row holds, `open` reads it for one item. */
export interface KeptInput<Input, OfItem = Input> {
  keep(input: Input): unknown;
  open(kept: unknown, item: LeasedItem): OfItem;
}

/** Reads JSON from a row. */
export type Reading<T> = (stored: unknown) => T;

/** Reads JSON that has one form in all releases: this service alone writes it, so it is taken for what it was. */
export const asWritten =
  <T>(): Reading<T> =>
  (stored) =>
    stored as T;

/** All items share the input, and nobody minds who reads it. */
export const plainInput = <Input>(): KeptInput<Input> => ({ keep: (input) => input, open: asWritten<Input>() });

/** Of a kind that needs nothing but its items. */
export type NoInput = Readonly<Record<string, never>>;
export const noInput = plainInput<NoInput>();

/** Inputs with secrets, by key: each is sealed by itself, so that an item opens no more than its own. */
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
