import assert from 'node:assert/strict';
import { SETTINGS } from '../../../generated/settings.ts';
import { schemasOf, type Schema } from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { schemaWithoutNull, tryValue } from '../../support/setting-values.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const schemas = schemasOf(readContract('v2'));

/** Other field that must be set before a field accepts a value. */
const COMPANIONS: Record<string, object> = {
  svc_uptime_monitoring_type: { svc_uptime_monitoring_keyword: 'Welcome' },
};

const pascal = (slug: string): string => slug.replace(/(^|-)(.)/g, (_, _dash, letter: string) => letter.toUpperCase());

describe('every setting of the contract', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    // The example of `auto_update_rings` names this tag.
    await createTag(world, 'canary');
  });
  after(() => world.close());

  const read = async (slug: string) => (await world.request('GET', `/api/v2/settings/${slug}`)).body.data;
  const edit = (slug: string, body: object, expect = 200) =>
    world.request('PATCH', `/api/v2/settings/${slug}/edit`, { body, expect });

  const tried = (slug: string, path: string[], schema: Schema): Promise<void> => {
    const companion = COMPANIONS[path[0] ?? ''] ?? {};
    return tryValue(
      { read: () => read(slug), edit: (body, expect) => edit(slug, body, expect), companion },
      path,
      schema,
    );
  };

  for (const [slug, { fields }] of Object.entries(SETTINGS)) {
    const properties = schemas[`${pascal(slug)}SettingsEdit`]?.properties ?? {};

    it(`when ${slug} was never changed, then it has the defaults of the contract`, async () => {
      assert.deepEqual(Object.keys(properties), Object.keys(fields));
      const values = await read(slug);
      for (const [name, field] of Object.entries(fields) as [string, { default: unknown; secret: boolean }][])
        if (field.secret) assert.equal(values[`${name}_set`], false);
        // Until they are set, decimals are those of the default currency.
        else assert.deepEqual(values[name], name === 'decimals' ? 2 : field.default, name);
    });

    for (const [name, schema] of Object.entries(properties)) {
      const inner = schemaWithoutNull(schema).properties;
      it(`when ${slug} ${name} is edited, then valid values are stored, others rejected, and null resets`, async () => {
        if (!inner) return tried(slug, [name], schema);
        for (const [key, field] of Object.entries(inner)) await tried(slug, [name, key], field);
        for (const value of [[], 'strange', 1]) await edit(slug, { [name]: value }, 400);
      });
    }

    it(`when an unknown field is sent to ${slug}, then the error names the field and nothing changes`, async () => {
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
