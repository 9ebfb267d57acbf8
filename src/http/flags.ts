import { deref, jsonOf, type Contract, type ContractOperation, type Schema } from '../contract/index.ts';

type Fields = Record<string, unknown>;

/** Fields of a body that are flags, and those that hold some. */
interface Flags {
  readonly own: readonly string[];
  readonly inner: readonly (readonly [name: string, flags: Flags])[];
}

const SPELLINGS = new Map<unknown, 0 | 1>([
  [false, 0],
  [true, 1],
  ['0', 0],
  ['1', 1],
]);

/** Writes 0 and 1 for what else is taken for them in the flags of a body; null where an operation has none. */
export type SpellFlags = (body: unknown) => void;

export function flagSpelling(contract: Contract, { requestBody }: ContractOperation): SpellFlags | null {
  const flags = flagsOf(contract, jsonOf(deref(contract, requestBody ?? {}))?.schema ?? {});
  return isNone(flags) ? null : (body) => spell(body, flags);
}

function flagsOf(contract: Contract, schema: Schema): Flags {
  const { properties = {}, anyOf = [] } = deref(contract, schema);
  const fields = Object.entries(properties).map(([name, field]) => [name, deref(contract, field)] as const);
  const own = fields.filter(([, field]) => field['x-flag'] === true).map(([name]) => name);
  const inner = fields.map(([name, field]) => [name, flagsOf(contract, field)] as const);
  // An object or null: the object is one of the two.
  const variants = anyOf.map((each) => flagsOf(contract, each));
  return {
    own: [...own, ...variants.flatMap((each) => each.own)],
    inner: [...inner.filter(([, flags]) => !isNone(flags)), ...variants.flatMap((each) => each.inner)],
  };
}

const isNone = ({ own, inner }: Flags): boolean => own.length === 0 && inner.length === 0;

function spell(body: unknown, { own, inner }: Flags): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Fields;
  for (const name of own) {
    const flag = SPELLINGS.get(fields[name]);
    if (flag !== undefined) fields[name] = flag;
  }
  for (const [name, flags] of inner) spell(fields[name], flags);
}
