import assert from 'node:assert/strict';
import { deref, type Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

const contract = readContract('v2');

export interface TestValues {
  good: unknown[];
  bad: unknown[];
}

/** Returns the schema of a value that can also be null. Null is tried separately. */
export function schemaWithoutNull(schema: Schema): Schema {
  const whole = deref(contract, schema);
  const variant = (whole.anyOf ?? []).map((each) => deref(contract, each)).find(({ type }) => type !== 'null');
  return variant ?? whole;
}

/** Returns values at the limits of a field's schema, and values beyond them. */
export function testValuesOf(schema: Schema): TestValues {
  const {
    type,
    enum: options,
    minimum,
    maximum,
    maxLength,
    pattern,
    maxItems,
    items,
    examples,
  } = schemaWithoutNull(schema) as {
    [Key in string]?: unknown;
  };
  if (Array.isArray(options)) {
    const flags = options.includes(0) && options.includes(1) && options.length === 2;
    return { good: options, bad: ['strange', flags ? 2 : -1, [], {}] };
  }
  const kind = [type].flat()[0];
  if (kind === 'integer' || kind === 'number') {
    const [least, most] = [Number(minimum), Number(maximum)];
    const part = kind === 'integer' ? [least + 0.5] : [];
    return { good: [least, most], bad: [least - 1, most + 1, ...part, 'strange', [least], {}] };
  }
  if (kind === 'string') {
    const long = 'x'.repeat(Number(maxLength) + 1);
    const unmatched = typeof pattern === 'string' && !new RegExp(pattern, 'u').test('1-') ? ['1-'] : [];
    return { good: examples as unknown[], bad: [long, 1, [], {}, ...unmatched] };
  }
  if (kind === 'boolean') return { good: [true, false], bad: ['strange', 2, [], {}] };
  assert.equal(kind, 'array');
  const [inner] = testValuesOf({ examples: [], ...(items as Schema) }).bad;
  const [[one] = []] = examples as unknown[][];
  const many = Array.from({ length: Number(maxItems) + 1 }, () => one);
  return { good: examples as unknown[], bad: [[inner], many, 'strange', {}] };
}

interface SettingsGroupAccess {
  read: () => Promise<Record<string, unknown>>;
  edit: (body: object, expect?: number) => Promise<{ body: { data: Record<string, unknown> & { errors?: unknown } } }>;
  /** Fields that another field needs for a value. */
  companion?: object;
}

/** Sets, rejects and resets a value at a path of a group. */
export async function tryValue(
  { read, edit, companion = {} }: SettingsGroupAccess,
  path: string[],
  schema: Schema,
): Promise<void> {
  const at = (values: unknown): unknown => path.reduce((inner, key) => (inner as Record<string, unknown>)[key], values);
  const patch = (value: unknown): object => path.reduceRight((inner, key) => ({ [key]: inner }), value) as object;
  const defaults = await read();
  const isSecret = `${path[0]}_set` in defaults;
  const { good, bad } = testValuesOf(schema);
  assert.ok(good.length > 0 && bad.length > 0, path.join('.'));
  for (const value of good) {
    const { body } = await edit({ ...companion, ...patch(value) });
    // For a secret, the record only has the fact that it is set.
    const told = isSecret ? body.data[`${path[0]}_set`] : at(body.data);
    assert.deepEqual(told, isSecret || value, `${path.join('.')} = ${JSON.stringify(value)}`);
    assert.deepEqual(await read(), body.data);
  }
  await refuseValues({ read, edit }, path, bad);
  const none = Object.fromEntries(Object.keys(companion).map((name) => [name, null]));
  await edit({ ...patch(null), ...none });
  assert.deepEqual(await read(), defaults, `null sets ${path.join('.')} back`);
}

/** Checks that each value is rejected with the name of its field, and that nothing changes. */
export async function refuseValues(
  { read, edit }: Pick<SettingsGroupAccess, 'read' | 'edit'>,
  path: string[],
  values: unknown[],
): Promise<void> {
  const before = await read();
  for (const value of values) {
    const { body } = await edit(path.reduceRight((inner, key) => ({ [key]: inner }), value) as object, 400);
    const named = (body.data.errors as { path: string }[]).map((error) => error.path);
    const here = `body.${path.join('.')}`;
    assert.ok(
      named.some((name) => name === here || name.startsWith(`${here}.`)),
      `${here} = ${JSON.stringify(value)}: ${named.join()}`,
    );
  }
  assert.deepEqual(await read(), before, `${path.join('.')} stays when it is refused`);
}
