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

interface ExampleResult {
  data: object;
}
interface ResponseBody {
  schema: Schema;
  example?: unknown;
}
const bodyOf = (response: unknown): ResponseBody =>
  (response as { content: Record<string, ResponseBody> }).content['application/json'] ?? assert.fail();

/** Returns the part, the action and the result of each added or edited record in the examples of batches. */
const exampleResults = (): [part: string, action: string, result: ExampleResult][] =>
  batches.flatMap(({ operation: { operationId, responses } }) => {
    const example = (bodyOf(responses['200']).example ?? {}) as Record<string, unknown>;
    const match = /^(?:batch_run|(\w+)_batch)$/.exec(operationId);
    if (!match) return [];
    const [, part] = match;
    const parts = part === undefined ? (example as Record<string, object>) : { [part]: example };
    return Object.entries(parts).flatMap(([name, actions]) =>
      (['create', 'update'] as const).flatMap((action) =>
        ((actions as Record<string, ExampleResult[] | undefined>)[action] ?? [])
          .filter(({ data }) => (data as object | undefined) !== undefined)
          .map((result): [string, string, ExampleResult] => [name, action, result]),
      ),
    );
  });

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

  it('when an example of a batch shows an added or edited record, then it has all required fields', () => {
    const results = exampleResults();
    assert.ok(results.length > 0);
    for (const [part, action, { data }] of results) {
      const route = `${part}_${action === 'create' ? 'add' : 'edit'}`;
      const operation = operationsOf(contract).find((each) => each.operation.operationId === route)?.operation;
      const { properties } = deref(contract, bodyOf(operation?.responses['200']).schema);
      const { required = [] } = deref(contract, properties?.['data'] ?? {});
      const missing = required.filter((name) => !(name in data));
      assert.deepEqual(missing, [], `Add ${missing.join(', ')} to the example of ${part} in openapi/v2/batch/.`);
    }
  });

  it('when a result of a batch is described, then its schema has the fields success, message, data, id and error', () => {
    const result = (contract.components['schemas'] as Record<string, Schema>)['BatchResult'];
    assert.deepEqual(Object.keys(result?.properties ?? {}), ['success', 'message', 'data', 'id', 'error']);
    assert.equal(result?.properties?.['error']?.$ref, '#/components/schemas/ApiError');
  });
});
