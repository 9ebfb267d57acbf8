import assert from 'node:assert/strict';
import { deref, operationsOf } from '../../src/http/contract.ts';
import { readContract } from '../../src/surfaces/generated.ts';

describe('what is written into every operation', () => {
  for (const surface of ['abilities', 'v2'] as const) {
    const contract = readContract(surface);
    const headersOf = (parameters: { $ref?: string; name: string; in: string }[] = []): string[] =>
      parameters.map((each) => deref(contract, each)).flatMap((each) => (each.in === 'header' ? [each.name] : []));

    it(`of ${surface}: a key of repetition into all that is not a GET`, () => {
      for (const { verb, operation } of operationsOf(contract)) {
        const keyed = headersOf(operation.parameters).includes('Idempotency-Key');
        assert.equal(keyed, verb !== 'get', operation.operationId);
        const conflict = JSON.stringify(deref(contract, (operation.responses['409'] ?? {}) as object));
        assert.equal(conflict.includes('svc_idempotency_conflict'), verb !== 'get', operation.operationId);
      }
    });

    it(`of ${surface}: tags of records where the contract says so`, () => {
      for (const { verb, operation } of operationsOf(contract)) {
        const tagged = (operation as { 'x-etag'?: boolean })['x-etag'] === true;
        const asked = headersOf(operation.parameters);
        assert.equal(asked.includes('If-None-Match'), tagged && verb === 'get', operation.operationId);
        assert.equal(asked.includes('If-Match'), tagged && verb !== 'get', operation.operationId);
        assert.equal('304' in operation.responses, tagged && verb === 'get', operation.operationId);
        assert.equal('412' in operation.responses, tagged && verb !== 'get', operation.operationId);
      }
    });
  }

  it('of v2: that an answer may show a part of its records', () => {
    const contract = readContract('v2');
    const schemas = contract.components['schemas'] as Record<string, { required?: string[]; properties?: object }>;
    assert.deepEqual(schemas['TagSelection']?.required, ['id']);
    assert.deepEqual(
      Object.keys(schemas['TagSelection']?.properties ?? {}),
      Object.keys(schemas['Tag']?.properties ?? {}),
    );
    assert.ok((schemas['Tag']?.required?.length ?? 0) > 1, 'the whole record is as strict as before');
  });
});
