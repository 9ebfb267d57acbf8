import assert from 'node:assert/strict';
import {
  abilityInputOf,
  jsonMediaOf,
  deref,
  operationsOf,
  withInlineDefaults,
  type Schema,
} from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { startSmallApp, type SmallApp } from '../http/small-app.ts';

const contracts = { abilities: readContract('abilities'), routes: readContract('v2') };

interface Preset {
  id: string;
  method: string;
  path: string;
  body: unknown;
  field: string;
  preset: unknown;
}

/** Returns each default in the body of an operation, with a call that omits the field. */
function presetsOf(surface: 'abilities' | 'routes', base: string): Preset[] {
  const contract = contracts[surface];
  return operationsOf(contract).flatMap(({ path, verb, item, operation }) => {
    const media = jsonMediaOf(operation.requestBody);
    if (!media || verb !== (item['x-ability'] ? 'post' : verb)) return [];
    const ability = item['x-ability'] !== undefined;
    const schema = deref(contract, ability ? abilityInputOf(contract, item) : media.schema);
    const example = (ability ? (media.example as { input: object }).input : media.example) as Record<string, unknown>;
    return Object.entries(schema.properties ?? {}).flatMap(([field, own]) => {
      const preset = own.default ?? deref(contract, own).default;
      if (preset === undefined || schema.required?.includes(field)) return [];
      const { [field]: _, ...rest } = example;
      const address = base + path.replaceAll(/\{[^}]+\}/g, '1');
      return [
        {
          id: operation.operationId,
          method: verb.toUpperCase(),
          path: address,
          body: ability ? { input: rest } : rest,
          field,
          preset,
        },
      ];
    });
  });
}

describe('defaults of the contract', () => {
  let app: SmallApp;
  let sent: Record<string, unknown> | undefined;
  const stop = new Error('The input is all that the test needs.');
  before(async () => {
    const handlers = Object.fromEntries(
      Object.values(contracts).flatMap((contract) =>
        operationsOf(contract).map(({ id, item }) => [
          id,
          async (call: Record<string, unknown>) => {
            sent = item['x-ability'] ? call : (call['body'] as Record<string, unknown>);
            throw stop;
          },
        ]),
      ),
    );
    app = await startSmallApp({ contracts, handlers, responseChecks: 'off' });
  });
  after(() => app.close());

  for (const [surface, base, least] of [
    ['abilities', '/abilities/v1', 60],
    ['routes', '/api/v2', 25],
  ] as const) {
    it(`when a field of ${surface} is omitted, then the handler gets its default`, async () => {
      const presets = presetsOf(surface, base);
      assert.ok(presets.length >= least, String(presets.length));
      for (const { id, method, path, body, field, preset } of presets) {
        sent = undefined;
        const { text, json } = await app.call(method, path, { body });
        // The default of `confirm` is false, so the call stops before its handler.
        if (field === 'confirm' && json.code === 'svc_confirmation_required') continue;
        assert.ok(sent, `${id}: ${text}`);
        assert.deepEqual((sent as Record<string, unknown>)[field], preset, `${id} ${field}`);
      }
    });
  }

  it('when a default is behind a reference, then the validator gets it next to the reference', () => {
    const Page = { type: 'integer', default: 1 };
    const Input = {
      properties: {
        page: { $ref: '#/components/schemas/Page' },
        size: { $ref: '#/components/schemas/Page', default: 2 },
      },
    };
    const contract = { paths: {}, servers: [], components: { schemas: { Page, Input } } };
    const { Input: near } = withInlineDefaults(contract).components['schemas'] as Record<string, Schema>;
    assert.deepEqual(near?.properties?.['page'], { default: 1, $ref: '#/components/schemas/Page' });
    assert.equal(near?.properties?.['size']?.default, 2);
  });
});
