import assert from 'node:assert/strict';
import { deref, operationsOf, type Schema } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

const contract = readContract('v2');
const batches = operationsOf(contract).filter(({ operation }) => operation['x-batch']);

/** Returns all lists of a body, also those of its groups. */
const listsIn = (schema: Schema): Schema[] => {
  const { items, properties = {} } = deref(contract, schema);
  return items ? [items] : Object.values(properties).flatMap(listsIn);
};

describe('contract of batches', () => {
  it('when a batch has a body, then its items have the type of the route they call', () => {
    assert.equal(batches.length, 15);
    for (const { operation } of batches) {
      const body = operation.requestBody as { required?: boolean; content: Record<string, { schema: Schema }> };
      assert.equal(body.required, true, operation.operationId);
      const lists = listsIn(body.content['application/json']?.schema ?? {});
      assert.ok(lists.length > 0);
      for (const items of lists) {
        const { type, anyOf } = deref(contract, items);
        assert.ok(type !== undefined || anyOf !== undefined, `${operation.operationId}: ${JSON.stringify(items)}`);
      }
    }
  });

  it('when a result of a batch is described, then its schema has the fields success, message, data, id and error', () => {
    const result = (contract.components['schemas'] as Record<string, Schema>)['BatchResult'];
    assert.deepEqual(Object.keys(result?.properties ?? {}), ['success', 'message', 'data', 'id', 'error']);
    assert.equal(result?.properties?.['error']?.$ref, '#/components/schemas/ApiError');
  });
});
