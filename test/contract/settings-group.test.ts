import assert from 'node:assert/strict';
import { settingsModule } from '../../scripts/contract/settings.ts';
import { deref, jsonMediaOf, schemasOf, type Contract, type Schema } from '../../src/contract/index.ts';
import { MAIL_TYPES_GROUP } from '../../src/domains/settings/mail-types-group.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const flag = { type: 'integer', enum: [0, 1] };

/** Returns a document with one group, whose record and edit schema have these properties. */
function documentOf(record: object, edit: object, more: object = {}): Contract {
  const answer = {
    type: 'object',
    properties: { data: { description: 'What happens at night.', properties: record } },
  };
  return {
    servers: [],
    components: { schemas: { Mode: { type: 'string', enum: ['slow', 'fast'] } } },
    paths: {
      '/settings/night-shift': {
        get: {
          operationId: 'settings_night_shift_get',
          summary: 'Get the night settings',
          responses: { 200: json(answer) },
          ...more,
        },
      },
      '/settings/night-shift/edit': {
        put: { operationId: 'settings_night_shift_edit', requestBody: json({ properties: edit }), responses: {} },
      },
    },
  } as unknown as Contract;
}

function factsOf(contract: Contract): Record<string, { fields: object }> {
  const [, text = ''] = /^export const SETTINGS = (.*) as const;\n$/s.exec(settingsModule(contract)) ?? [];
  return JSON.parse(text) as Record<string, { fields: object }>;
}

describe('generated module of a settings group', () => {
  it('when record and edit schemas are read, then each field has its range, default and secrecy', () => {
    const mode = { $ref: '#/components/schemas/Mode' };
    const record = {
      hour: { type: 'integer', default: 2 },
      mode: { ...mode, default: 'slow' },
      loud: { ...flag, default: 0 },
      key_set: { type: 'boolean' },
      days: { type: 'array', default: [1] },
      doors: { type: 'object', properties: { front: { ...flag, default: 1 }, back: { ...flag, default: 0 } } },
    };
    const edit = {
      hour: { type: ['integer', 'null'], minimum: 0, maximum: 23 },
      mode: orNull(mode),
      loud: { type: ['integer', 'null'], enum: [0, 1, null] },
      key: { type: ['string', 'null'], maxLength: 9, pattern: '^x' },
      days: orNull({ type: 'array', maxItems: 7, items: { type: 'integer', minimum: 0, maximum: 6 } }),
      doors: orNull({ type: 'object', properties: { front: orNull(flag), back: orNull(flag) } }),
    };
    assert.deepEqual(factsOf(documentOf(record, edit, { 'x-module': 'logs' })), {
      'night-shift': {
        id: 'night_shift',
        title: 'night settings',
        description: 'What happens at night.',
        module: 'logs',
        edit: '/settings/night-shift/edit',
        fields: {
          hour: { kind: 'integer', minimum: 0, maximum: 23, default: 2, secret: false },
          mode: { kind: 'choice', values: ['slow', 'fast'], default: 'slow', secret: false },
          loud: { kind: 'flag', default: 0, secret: false },
          key: { kind: 'text', maxLength: 9, pattern: '^x', default: '', secret: true },
          days: {
            kind: 'list',
            maxItems: 7,
            of: { kind: 'integer', minimum: 0, maximum: 6 },
            default: [1],
            secret: false,
          },
          doors: {
            kind: 'object',
            fields: { front: { kind: 'flag', default: 1 }, back: { kind: 'flag', default: 0 } },
            default: { front: 1, back: 0 },
            secret: false,
          },
        },
      },
    });
  });

  it('when the default of a field follows another setting, then it is null', () => {
    const decimals = { type: 'integer', minimum: 0, maximum: 8 };
    assert.deepEqual(factsOf(documentOf({ decimals }, { decimals }))['night-shift']?.fields, {
      decimals: { kind: 'integer', minimum: 0, maximum: 8, default: null, secret: false },
    });
  });

  it('when a field has no default or an unknown type, then the group is rejected', () => {
    const hour = { type: 'integer', minimum: 0, maximum: 23 };
    assert.throws(() => settingsModule(documentOf({ hour }, { hour })), /has no default/);
    const flagOf = { type: 'boolean', default: true };
    assert.throws(() => settingsModule(documentOf({ x: flagOf }, { x: flagOf })), /cannot be of the type boolean/);
  });
});

describe('record and edit schemas of the settings groups', () => {
  const contract = readContract('v2');
  const schemas = schemasOf(contract);
  /** Returns the schema of a non-null value without descriptions. */
  const rangeOf = (schema: Schema): unknown => {
    const { anyOf, ...whole } = { ...deref(contract, schema), ...schema };
    const inner = anyOf?.find(({ type }) => type !== 'null');
    if (inner) return rangeOf(inner);
    const { type, enum: values, minimum, maximum, items } = whole as Record<string, unknown>;
    const kinds = [type].flat().filter((each) => each !== 'null');
    const own = (values as unknown[] | undefined)?.filter((each) => each !== null);
    return { kinds, own, minimum, maximum, items: items && rangeOf(items as Schema) };
  };
  const groups = Object.entries(contract.paths).flatMap(([path, { put }]) =>
    /^\/settings\/[a-z-]+\/edit$/.test(path) && put ? [[path, put] as const] : [],
  );

  it('when settings groups are counted, then there are 12', () => assert.equal(groups.length, 12));

  for (const [path, put] of groups)
    it(`when ${path} sets a field, then its range equals that of the record, and only the record has a default`, () => {
      const edit = deref(contract, jsonMediaOf(put.requestBody)?.schema ?? {});
      const answer = deref(
        contract,
        jsonMediaOf(contract.paths[path.replace('/edit', '')]?.get?.responses['200'])?.schema ?? {},
      );
      const record = deref(contract, answer.properties?.['data'] ?? {});
      for (const [name, field] of Object.entries(edit.properties ?? {})) {
        assert.equal(field.default, undefined, name);
        const shown = record.properties?.[name];
        if (shown) assert.deepEqual(rangeOf(field), rangeOf(shown), name);
        else assert.ok(record.properties?.[`${name}_set`], name);
      }
    });

  it('when a mail type has settings, then the contract lists the type', () => {
    assert.deepEqual(
      [...((schemas['MailType']?.['x-extensible-enum'] ?? []) as string[])].sort(),
      Object.keys(MAIL_TYPES_GROUP.fields).sort(),
      'MailType of openapi/v2/mail/schemas.yaml and src/domains/settings/mail-types-group.ts differ.',
    );
    assert.deepEqual(
      schemas['MailTypeFilter']?.['enum'],
      schemas['MailType']?.['x-extensible-enum'],
      'MailTypeFilter and MailType of openapi/v2/mail/schemas.yaml differ.',
    );
  });
});
