import assert from 'node:assert/strict';
import { deref, errorCodesOf, operationsOf, recordLocationOf } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';

describe('parameters that are common to many operations', () => {
  for (const surface of ['abilities', 'v2'] as const) {
    const contract = readContract(surface);
    const headersOf = (parameters: { $ref?: string; name: string; in: string }[] = []): string[] =>
      parameters.map((each) => deref(contract, each)).flatMap((each) => (each.in === 'header' ? [each.name] : []));

    it(`when an operation of ${surface} is not a GET, then it accepts an Idempotency-Key`, () => {
      for (const place of operationsOf(contract)) {
        const { verb, operation } = place;
        const keyed = headersOf(operation.parameters).includes('Idempotency-Key');
        assert.equal(keyed, verb !== 'get', operation.operationId);
        const conflicts = errorCodesOf(contract, place).get('409') ?? [];
        assert.equal(conflicts.includes('svc_idempotency_conflict'), verb !== 'get', operation.operationId);
      }
    });

    it(`when an operation of ${surface} has x-etag, then it has the headers of conditional requests`, () => {
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

  describe('of v2 with `_fields`', () => {
    const contract = readContract('v2');
    const asked = operationsOf(contract).filter(({ operation }) => recordLocationOf(contract, operation));

    it('when an operation has _fields, then its schema is that of the whole record', () => {
      assert.ok(asked.length > 20);
      for (const { operation } of asked) {
        const record = recordLocationOf(contract, operation)?.record;
        assert.ok(record?.type === 'object' && record.required, `${operation.operationId} has one record`);
      }
    });

    it('when a response has only selected fields, then it is valid, and a wrong field is not', () => {
      const tag = { id: 7, name: 'shops' };
      const answer = (data: object): object => ({ success: 1, data });
      const part = '/api/v2/tags/7?_fields=name';
      checkResponse('GET', part, 200, answer(tag));
      for (const bad of [{ name: 'shops' }, { ...tag, strange: 1 }, { ...tag, color: 1 }])
        assert.throws(() => checkResponse('GET', part, 200, answer(bad)), /breaks the contract/);
      for (const path of ['/api/v2/tags/7', '/api/v2/tags/7?_fields=', '/api/v2/tags/7?fields=name'])
        assert.throws(() => checkResponse('GET', path, 200, answer(tag)), /breaks the contract/);
    });
  });
});
