import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { deref, errorCodesOf, operationsOf, type Contract } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** In release 0.1.0, each error response has the list of codes. */
const released = (surface: string): Contract =>
  JSON.parse(readFileSync(`openapi/released/0.1.0/${surface}.json`, 'utf8')) as Contract;

/** Codes that the service can return before it knows the operation. Release 0.1.0 did not list them. */
const BEFORE_ROUTING = ['svc_malformed_request', 'svc_outside_limits', 'svc_address_not_allowed', 'svc_stopping'];

describe('error codes of operations', () => {
  for (const [surface, count] of [
    ['abilities', 93],
    ['v2', 350],
  ] as const)
    it(`when shared codes and codes of ${surface} are merged, then the lists equal those of release 0.1.0`, () => {
      const contract = readContract(surface);
      const places = new Map(operationsOf(contract).map((place) => [place.operation.operationId, place]));
      const old = released(surface);
      assert.equal(operationsOf(old).length, count);
      for (const { operation } of operationsOf(old)) {
        const lists = Object.entries(operation.responses).flatMap(([status, response]): [string, string[]][] => {
          const { 'x-error-codes': codes } = deref(old, response) as { 'x-error-codes'?: string[] };
          return codes ? [[status, codes]] : [];
        });
        const place = places.get(operation.operationId) ?? assert.fail(operation.operationId);
        const joined = errorCodesOf(contract, place);
        for (const [status, codes] of lists) {
          const added = (joined.get(status) ?? []).filter((code) => !codes.includes(code));
          const kept = (joined.get(status) ?? []).filter((code) => codes.includes(code));
          assert.deepEqual(kept, codes, `${operation.operationId} ${status}`);
          // Any other later code must come from the operation, not from a shared response.
          for (const code of added.filter((each) => !BEFORE_ROUTING.includes(each)))
            assert.ok(place.operation['x-errors']?.includes(code), `${operation.operationId} ${code}`);
        }
      }
    });

  it('when an operation has a body, a module or writes, then its list has the codes of that kind', () => {
    const contract = readContract('v2');
    const codesOf = (id: string): string[] => {
      const place = operationsOf(contract).find(({ operation }) => operation.operationId === id) ?? assert.fail(id);
      return [...errorCodesOf(contract, place).values()].flat();
    };
    assert.deepEqual(codesOf('tags_get'), [
      ...['rest_invalid_param', 'svc_malformed_request', 'svc_unauthenticated', 'svc_permission_denied'],
      ...[
        'svc_outside_limits',
        'svc_address_not_allowed',
        'svc_tag_not_found',
        'svc_request_timeout',
        'svc_rate_limited',
        'svc_headers_too_large',
      ],
      ...['svc_internal_error', 'svc_stopping', 'svc_database_unavailable'],
    ]);
    const edit = codesOf('tags_edit');
    for (const code of [
      'rest_invalid_json',
      'svc_idempotency_conflict',
      'svc_precondition_failed',
      'svc_request_too_large',
    ])
      assert.ok(edit.includes(code), code);
    assert.ok(codesOf('costs_list').includes('svc_module_not_available'));
    assert.ok(!codesOf('tags_list').includes('svc_module_not_available'));
  });
});
