import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readErrorCodes, readItemCodes, readRemedies } from '../../scripts/contract/error-codes.ts';
import { deref, errorCodesOf, operationsOf, type ContractResponse } from '../../src/contract/index.ts';
import { CHILD_LAYERS, REFUSAL_REASONS } from '../../src/shared/child-call-errors.ts';
import { ERROR_KINDS, ITEM_ERROR_CODES } from '../../src/shared/error-codes.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { checkResponse } from '../support/contract-check.ts';

interface Shared {
  ItemErrorCode: { 'x-extensible-enum': string[] };
  ErrorLayer: { 'x-extensible-enum': string[] };
  ErrorData: { properties: { reason: { description: string } } };
}
const shared = parse(readFileSync('openapi/shared/errors.yaml', 'utf8')) as Shared;
const table = readErrorCodes();
const kinds = Object.values(ERROR_KINDS) as { status: number; codes: readonly string[] }[];

/** Status and codes as the specification of errors lists them. */
const SPECIFIED: [status: number, ...codes: string[]][] = [
  [400, 'ability_invalid_input', 'rest_invalid_param', 'rest_invalid_json', 'svc_confirmation_required'],
  [400, 'svc_invalid_url', 'svc_address_refused'],
  [401, 'svc_unauthenticated'],
  [403, 'svc_permission_denied'],
  [404, 'rest_ability_not_found', 'rest_no_route', 'svc_site_not_found', 'svc_client_not_found', 'svc_tag_not_found'],
  [404, 'svc_job_not_found', 'svc_module_not_available'],
  [405, 'rest_ability_invalid_method', 'rest_invalid_method'],
  [409, 'svc_ambiguous_site', 'svc_site_already_exists', 'svc_already_exists', 'svc_site_suspended'],
  [409, 'svc_site_disconnected', 'svc_child_outdated'],
  [413, 'svc_request_too_large'],
  [415, 'rest_unsupported_media_type'],
  [429, 'svc_rate_limited'],
  [502, 'svc_site_refused', 'svc_site_bad_answer'],
  [503, 'svc_site_unreachable'],
];

describe('error codes', () => {
  it('when the code has an error code, then the contract has it with the same status', () => {
    const ours = Object.fromEntries(kinds.flatMap(({ status, codes }) => codes.map((code) => [code, status])));
    const theirs = Object.fromEntries(Object.entries(table).map(([code, { status }]) => [code, status]));
    assert.deepEqual(ours, theirs);
  });

  it('when an error code is listed, then it belongs to one class and has a valid name', () => {
    const codes = kinds.flatMap(({ codes }) => [...codes]);
    assert.equal(new Set(codes).size, codes.length);
    for (const code of codes) assert.match(code, /^(svc|rest|ability)_[a-z]+(_[a-z]+)*$/);
  });

  it('when the interface gives the status of a code, then the contract has the same status', () => {
    for (const [status, ...codes] of SPECIFIED)
      for (const code of codes) assert.equal(table[code]?.status, status, code);
  });

  it('when item error codes are listed, then code and contract have the same', () => {
    assert.deepEqual([...ITEM_ERROR_CODES], shared.ItemErrorCode['x-extensible-enum']);
  });

  it('when a code belongs to responses or to items, then it has one meaning and one remedy', () => {
    const items = Object.keys(readItemCodes());
    assert.deepEqual(
      items.filter((code) => table[code] !== undefined),
      [],
    );
    assert.deepEqual(ITEM_ERROR_CODES.filter((code) => table[code] === undefined).sort(), items.sort());
    assert.deepEqual(Object.keys(readRemedies()).sort(), [...Object.keys(table), ...items].sort());
  });

  it('when a site can fail with a layer, a reason or an outcome, then the guide explains it in a table', () => {
    const guide = readFileSync('docs/guides/errors.md', 'utf8');
    const [, causes = ''] = guide.split('## Causes');
    const explained = new Set(
      causes.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => word)),
    );
    for (const word of [...CHILD_LAYERS, ...REFUSAL_REASONS, 'not_run', 'answered', 'open'])
      assert.ok(explained.has(word), word);
  });

  it('when layers and reasons are listed, then code and contract have the same', () => {
    assert.deepEqual([...CHILD_LAYERS], shared.ErrorLayer['x-extensible-enum']);
    const { description } = shared.ErrorData.properties.reason;
    for (const reason of REFUSAL_REASONS) assert.match(description, new RegExp(`\\b${reason}\\b`));
  });

  for (const surface of ['abilities', 'v2'] as const)
    it(`when an operation of ${surface} has error codes, then each is listed under its own status`, () => {
      const contract = readContract(surface);
      for (const place of operationsOf(contract)) {
        const { operation } = place;
        const id = operation.operationId;
        const answers = operation.responses;
        for (const status of ['400', '401', '403', '408', '429', '431', '500', '503'])
          assert.ok(answers[status], `${id} ${status}`);
        if (operation.requestBody) for (const status of ['413', '415']) assert.ok(answers[status], `${id} ${status}`);
        if (operation['x-module']) assert.ok(answers['404'], `${id} needs a module`);
        for (const [status, codes] of errorCodesOf(contract, place)) {
          assert.ok(codes.length > 0, `${id} ${status}`);
          for (const code of codes) assert.equal(String(table[code]?.status), status, `${id} ${code}`);
          const { content } = deref(contract, answers[status] as ContractResponse);
          assert.deepEqual(content?.['application/json']?.schema, { $ref: '#/components/schemas/ApiError' }, id);
        }
      }
    });

  it('when a response has a status, then only the error codes of that status are valid', () => {
    const refusal = (code: string): unknown => ({ code, message: 'No.', data: { status: 404 } });
    checkResponse('GET', '/api/v2/tags/1', 404, refusal('svc_tag_not_found'));
    assert.throws(
      () => checkResponse('GET', '/api/v2/tags/1', 404, refusal('svc_site_not_found')),
      /breaks the contract/,
    );
  });
});
