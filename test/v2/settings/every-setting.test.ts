import assert from 'node:assert/strict';
import { SETTINGS } from '../../../generated/settings.ts';
import { deref, schemasOf, type Schema } from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated.ts';
import { startWorld, type World } from '../../support/world.ts';

const contract = readContract('v2');
const schemas = schemasOf(contract);

/** What a field asks of another one before it takes a value. */
const COMPANIONS: Record<string, object> = {
  svc_uptime_monitoring_type: { svc_uptime_monitoring_keyword: 'Welcome' },
};

interface Values {
  good: unknown[];
  bad: unknown[];
}

const pascal = (slug: string): string => slug.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());

/** Something or null is the something; null is tried by itself. */
function settled(schema: Schema): Schema {
  const whole = deref(contract, schema);
  const variant = (whole.anyOf ?? []).map((each) => deref(contract, each)).find(({ type }) => type !== 'null');
  return variant ?? whole;
}

/** Values at the ends of what the schema of a field allows, and beyond them. */
function valuesOf(schema: Schema): Values {
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
  } = settled(schema) as {
    [Key in string]?: unknown;
  };
  if (Array.isArray(options)) {
    const flags = options.includes(0) && options.includes(1) && options.length === 3;
    return { good: options.filter((each) => each !== null), bad: ['strange', flags ? 2 : -1, [], {}] };
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
  assert.equal(kind, 'array');
  const [inner] = valuesOf({ examples: [], ...(items as Schema) }).bad;
  const [[one] = []] = examples as unknown[][];
  const many = Array.from({ length: Number(maxItems) + 1 }, () => one);
  return { good: examples as unknown[], bad: [[inner], many, 'strange', {}] };
}

describe('every setting of the contract', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  const read = async (slug: string) => (await world.request('GET', `/api/v2/settings/${slug}`)).body.data;
  const edit = (slug: string, body: object, expect = 200) =>
    world.request('PATCH', `/api/v2/settings/${slug}/edit`, { body, expect });

  /** Sets, refuses and resets one value that stands at a path of the group. */
  async function tried(slug: string, path: string[], schema: Schema): Promise<void> {
    const at = (values: unknown): unknown =>
      path.reduce((inner, key) => (inner as Record<string, unknown>)[key], values);
    const patch = (value: unknown): object => path.reduceRight((inner, key) => ({ [key]: inner }), value) as object;
    const defaults = await read(slug);
    const isSecret = `${path[0]}_set` in defaults;
    const companion = COMPANIONS[path[0] ?? ''] ?? {};
    const { good, bad } = valuesOf(schema);
    assert.ok(good.length > 0 && bad.length > 0, path.join('.'));
    for (const value of good) {
      const { body } = await edit(slug, { ...companion, ...patch(value) });
      // A secret comes back as the fact that there is one.
      const told = isSecret ? body.data[`${path[0]}_set`] : at(body.data);
      assert.deepEqual(told, isSecret || value, `${path.join('.')} = ${JSON.stringify(value)}`);
      assert.deepEqual(await read(slug), body.data);
    }
    const before = await read(slug);
    for (const value of bad) {
      const { body } = await edit(slug, patch(value), 400);
      const named = (body.data.errors as { path: string }[]).map((error) => error.path);
      const here = `body.${path.join('.')}`;
      assert.ok(
        named.some((name) => name === here || name.startsWith(`${here}.`)),
        `${here} = ${JSON.stringify(value)}: ${named.join()}`,
      );
    }
    assert.deepEqual(await read(slug), before, `${path.join('.')} stays when it is refused`);
    const none = Object.fromEntries(Object.keys(companion).map((name) => [name, null]));
    await edit(slug, { ...patch(null), ...none });
    assert.deepEqual(await read(slug), defaults, `null sets ${path.join('.')} back`);
  }

  for (const [slug, { fields, byHand }] of Object.entries(SETTINGS)) {
    if (byHand) continue;
    const properties = schemas[`${pascal(slug)}SettingsEdit`]?.properties ?? {};

    it(`when nobody has changed ${slug}, then it has the defaults of the contract`, async () => {
      assert.deepEqual(Object.keys(properties), Object.keys(fields));
      const values = await read(slug);
      for (const [name, field] of Object.entries(fields) as [string, { default: unknown; secret: boolean }][])
        if (field.secret) assert.equal(values[`${name}_set`], false);
        else assert.deepEqual(values[name], field.default, name);
    });

    for (const [name, schema] of Object.entries(properties)) {
      const inner = settled(schema).properties;
      it(`when ${slug} ${name} is changed, then it takes what fits, refuses the rest, and null resets it`, async () => {
        if (!inner) return tried(slug, [name], schema);
        for (const [key, field] of Object.entries(inner)) await tried(slug, [name, key], field);
        for (const value of [[], 'strange', 1]) await edit(slug, { [name]: value }, 400);
      });
    }

    it(`when a field that ${slug} does not have is sent, then it is named, and nothing changes`, async () => {
      const values = await read(slug);
      const { body } = await edit(slug, { not_a_setting: 1 }, 400);
      assert.deepEqual(
        (body.data.errors as { path: string }[]).map(({ path }) => path),
        ['body.not_a_setting'],
      );
      assert.deepEqual(await read(slug), values);
    });
  }
});
