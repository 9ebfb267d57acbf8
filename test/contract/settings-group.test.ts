import assert from 'node:assert/strict';
import { settingsReport } from '../../scripts/contract/settings-report.ts';
import { settingsOf } from '../../scripts/contract/settings.ts';
import { writtenOut, type Source } from '../../scripts/contract/short/index.ts';

const FILE = 'v2/settings/night-shift.yaml';
const of = (field: object): object => ({
  description: 'A field.',
  examples: ['x'],
  'x-effect': 'preference',
  ...field,
});
const source = {
  group: {
    title: 'night settings',
    description: 'What happens at night.',
    effect: 'They rule at once.',
    module: 'logs',
    example: { hour: 3, key: 'secret', mode: null, doors: { back: 1 } },
    properties: {
      hour: of({ type: 'integer', minimum: 0, maximum: 23, default: 2, examples: [1] }),
      mode: of({ type: 'string', enum: ['slow', 'fast'], default: 'slow' }),
      loud: of({ type: 'integer', enum: [0, 1], default: 0, examples: [1] }),
      key: of({ type: 'string', maxLength: 9, default: '', writeOnly: true, 'x-effect': 'behaviour' }),
      days: of({ type: 'array', maxItems: 7, items: { type: 'integer', minimum: 0, maximum: 6 }, default: [1] }),
      doors: {
        type: 'object',
        additionalProperties: false,
        description: 'Which doors are open.',
        'x-effect': 'behaviour',
        properties: {
          front: { type: 'integer', enum: [0, 1], default: 1, description: 'The front door.', examples: [1] },
          back: { type: 'integer', enum: [0, 1], default: 0, description: 'The back door.', examples: [0] },
        },
      },
    },
  },
} as unknown as Source;

interface Fields {
  required?: string[];
  additionalProperties: boolean;
  properties: Record<string, object>;
}
interface Written {
  read: { get: { operationId: string; 'x-module': string } };
  edit: Record<'put' | 'patch' | 'post', { operationId: string; description: string; responses: unknown }>;
  NightShiftSettings: { required: string[]; properties: Record<string, object> };
  NightShiftSettingsEdit: { required?: string[]; properties: Record<string, object> };
}

describe('a group of settings', () => {
  const written = writtenOut(FILE, source) as unknown as Written;

  it('when it is one line in the table of contents, then it is two paths', () => {
    const contents = { paths: { '/settings/night-shift': { $ref: 'settings/night-shift.yaml#/group' } } };
    assert.deepEqual(writtenOut('v2/openapi.yaml', contents)['paths'], {
      '/settings/night-shift': { $ref: 'settings/night-shift.yaml#/read' },
      '/settings/night-shift/edit': { $ref: 'settings/night-shift.yaml#/edit' },
    });
  });

  it('when it is written out, then it has its routes, under its module', () => {
    assert.equal(written.read.get.operationId, 'settings_night_shift_get');
    assert.equal(written.read.get['x-module'], 'logs');
    assert.deepEqual(
      Object.values(written.edit).map(({ operationId }) => operationId),
      ['settings_night_shift_edit', 'settings_night_shift_edit__patch', 'settings_night_shift_edit__post'],
    );
  });

  it('when it is read, then it tells every field and its default, and no secret', () => {
    const { required, properties } = written.NightShiftSettings;
    assert.deepEqual(required, ['hour', 'mode', 'loud', 'key_set', 'days', 'doors']);
    assert.deepEqual(Object.keys(properties), required);
    assert.deepEqual(properties['hour'], {
      type: 'integer',
      minimum: 0,
      maximum: 23,
      description: 'A field; 2 unless set.',
      examples: [1],
      'x-effect': 'preference',
    });
    assert.doesNotMatch(JSON.stringify(written.edit.put.responses), /secret|"key"/);
    assert.match(JSON.stringify(written.edit.put.responses), /"hour":3,"mode":"x".*"doors":{"front":1,"back":1}/);
  });

  it('when a field is a secret, then a record tells whether it is set', () => {
    const { required, properties } = written.NightShiftSettings;
    assert.ok(required.includes('key_set'));
    assert.deepEqual(properties['key_set'], {
      type: 'boolean',
      description: 'Whether `key` is set; the secret itself is never shown.',
      examples: [true],
      'x-effect': 'behaviour',
    });
    const { description } = written.NightShiftSettingsEdit.properties['key'] as { description: string };
    assert.equal(description, 'A field; null takes it away.');
  });

  it('when a field is an object, then a record has all of it, and an edit any part', () => {
    const field = (description: string) => ({ type: 'integer', enum: [0, 1], description, examples: [1] });
    const { front } = (written.NightShiftSettings.properties['doors'] as Fields).properties;
    assert.deepEqual(front, field('The front door; 1 unless set.'));
    const { anyOf } = written.NightShiftSettingsEdit.properties['doors'] as { anyOf: [Fields, object] };
    assert.equal(anyOf[0].required, undefined);
    assert.equal(anyOf[0].additionalProperties, false);
    assert.deepEqual(anyOf[0].properties['front'], {
      ...field('The front door; null sets it back to 1.'),
      type: ['integer', 'null'],
      enum: [0, 1, null],
      'x-flag': true,
    });
    assert.deepEqual(anyOf[1], { type: 'null' });
    const { description } = written.edit.put;
    assert.match(description, /Of an object only what is sent changes. For 1 and 0 `true` and `false`/);
  });

  it('when a number goes by labels too, then its edit says so, and its record does not', () => {
    const nap = { type: 'integer', minimum: 1, maximum: 90, default: 5, 'x-duration': 'minutes' };
    const named = {
      ...(source['group'] as object),
      properties: { nap: of({ ...nap, examples: [5] }) },
      example: { nap: 9 },
    };
    const of5 = writtenOut(FILE, { group: named }) as unknown as Written;
    assert.equal((of5.NightShiftSettingsEdit.properties['nap'] as Record<string, unknown>)['x-duration'], 'minutes');
    assert.equal('x-duration' in (of5.NightShiftSettings.properties['nap'] ?? {}), false);
    assert.match(of5.edit.put.description, /labels such as `30s`, `5m`, `2min` and `1h` are taken as well/);
  });

  it('when its routes are written by hand, then nothing but the facts for the code is made of it', () => {
    const byHand = { group: { ...(source['group'] as object), edited_at: '/settings/night/{x}/edit' }, path: {} };
    assert.deepEqual(writtenOut(FILE, byHand), { path: {} });
    assert.match(settingsOf(new Map([[FILE, byHand]])), /"night-shift"/);
  });

  it('when it is edited, then every field may come, and null for the default, which nobody fills in', () => {
    const { required, properties } = written.NightShiftSettingsEdit;
    assert.equal(required, undefined);
    assert.deepEqual(Object.keys(properties), ['hour', 'mode', 'loud', 'key', 'days', 'doors']);
    assert.doesNotMatch(JSON.stringify(properties), /"default"/);
    assert.deepEqual(properties['mode'], {
      type: ['string', 'null'],
      enum: ['slow', 'fast', null],
      description: 'A field; null sets it back to slow.',
      examples: ['x'],
      'x-effect': 'preference',
    });
    assert.match(JSON.stringify(properties['days']), /"anyOf":\[\{[^{]*"type":"array".*\},\{"type":"null"\}\]/);
  });

  it('when the code reads it, then it knows shape, default and effect', () => {
    const text = settingsOf(new Map([[FILE, source]]));
    const [, json = ''] = /^export const SETTINGS = (.*) as const;\n$/s.exec(text) ?? [];
    const preference = { effect: 'preference', secret: false };
    assert.deepEqual(JSON.parse(json), {
      'night-shift': {
        id: 'night_shift',
        title: 'night settings',
        description: 'What happens at night.',
        module: 'logs',
        byHand: false,
        edit: '/settings/night-shift/edit',
        fields: {
          hour: { kind: 'integer', minimum: 0, maximum: 23, default: 2, ...preference },
          mode: { kind: 'choice', values: ['slow', 'fast'], default: 'slow', ...preference },
          loud: { kind: 'flag', default: 0, ...preference },
          key: { kind: 'text', maxLength: 9, default: '', effect: 'behaviour', secret: true },
          days: {
            kind: 'list',
            maxItems: 7,
            of: { kind: 'integer', minimum: 0, maximum: 6 },
            default: [1],
            ...preference,
          },
          doors: {
            kind: 'object',
            fields: { front: { kind: 'flag', default: 1 }, back: { kind: 'flag', default: 0 } },
            default: { front: 1, back: 0 },
            effect: 'behaviour',
            secret: false,
          },
        },
      },
    });
    const strange = { group: { title: '', properties: { x: { type: 'boolean' } } } } as unknown as Source;
    assert.throws(() => settingsOf(new Map([[FILE, strange]])), /cannot be of the type boolean/);
  });

  it('when people read of it, then each field has a row with effect, values, default and what it rules', () => {
    const report = settingsReport(new Map([[FILE, source]]));
    assert.match(report, /^## Night settings$/m);
    for (const row of [
      '| `hour` | preference | 0 to 23 | `2` | A field. |',
      '| `mode` | preference | `slow`, `fast` | `slow` | A field. |',
      '| `key` | behaviour, secret | up to 9 characters | empty | A field. |',
      '| `days` | preference | up to 7 of 0 to 6 | `[1]` | A field. |',
      '| `doors` | behaviour | an object |  | Which doors are open. |',
      '| `doors.back` | behaviour | `0`, `1` | `0` | The back door. |',
    ])
      assert.ok(report.includes(`${row}\n`), row);
  });
});
