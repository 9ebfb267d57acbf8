import { deref, jsonOf, type Contract, type ContractOperation, type Schema } from '../contract/index.ts';

type Fields = Record<string, unknown>;

/** Fields of a body that may be written in another way, and those that hold some. */
interface Spelling {
  readonly flags: readonly string[];
  readonly aliases: readonly (readonly [alias: string, name: string])[];
  readonly inner: readonly (readonly [name: string, spelling: Spelling])[];
}

const SPELLINGS = new Map<unknown, 0 | 1>([
  [false, 0],
  [true, 1],
  ['0', 0],
  ['1', 1],
]);

/** Writes 0 and 1 for what else is taken for them in the flags of a body, and the names of fields for their aliases. */
export type SpellBody = (body: unknown) => void;

/** Null where an operation has one way to write its body. */
export function spellingOf(contract: Contract, { requestBody }: ContractOperation): SpellBody | null {
  const spelling = fieldsOf(contract, jsonOf(deref(contract, requestBody ?? {}))?.schema ?? {});
  return isNone(spelling) ? null : (body) => spell(body, spelling);
}

function fieldsOf(contract: Contract, schema: Schema): Spelling {
  const { properties = {}, anyOf = [], 'x-aliases': names = {} } = deref(contract, schema);
  const fields = Object.entries(properties).map(([name, field]) => [name, deref(contract, field)] as const);
  const flags = fields.filter(([, field]) => field['x-flag'] === true).map(([name]) => name);
  const inner = fields.map(([name, field]) => [name, fieldsOf(contract, field)] as const);
  // An object or null: the object is one of the two.
  const variants = anyOf.map((each) => fieldsOf(contract, each));
  return {
    flags: [...flags, ...variants.flatMap((each) => each.flags)],
    aliases: [...Object.entries(names), ...variants.flatMap((each) => each.aliases)],
    inner: [...inner.filter(([, spelling]) => !isNone(spelling)), ...variants.flatMap((each) => each.inner)],
  };
}

const isNone = ({ flags, aliases, inner }: Spelling): boolean =>
  flags.length === 0 && aliases.length === 0 && inner.length === 0;

function spell(body: unknown, { flags, aliases, inner }: Spelling): void {
  if (typeof body !== 'object' || body === null) return;
  const fields = body as Fields;
  for (const [alias, name] of aliases) {
    if (!Object.hasOwn(fields, alias)) continue;
    // Who sends both means the field by its own name.
    if (!Object.hasOwn(fields, name)) fields[name] = fields[alias];
    delete fields[alias];
  }
  for (const name of flags) {
    const flag = SPELLINGS.get(fields[name]);
    if (flag !== undefined) fields[name] = flag;
  }
  for (const [name, spelling] of inner) spell(fields[name], spelling);
}
