import { ResponseChecker } from '../../../src/contract-checks/index.ts';
import { operationsOf, recordLocationOf } from '../../../src/contract/index.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import type { ChangeResponse } from '../../support/changing-proxy.ts';

/**
 * Returns a change that removes a required field from the first record of each whole response, and the IDs of the
 * operations that it has changed.
 */
export function removeRequiredFields(): { change: ChangeResponse; changed: Set<string> } {
  const contract = readContract('v2');
  const check = new ResponseChecker(contract);
  const places = new Map(operationsOf(contract).map(({ operation }) => [operation.operationId, operation]));
  const changed = new Set<string>();
  const change: ChangeResponse = (call, { status, body, query }) => {
    const [method = '', path = ''] = call.split(' ');
    if (status !== 200 || query.has('_fields') || typeof body !== 'object') return;
    const { operation: id } = check.check(method, path, status, body);
    const operation = id === null ? undefined : places.get(id);
    const location = operation && recordLocationOf(contract, operation);
    if (!id || !location) return;
    const record = firstRecordOf(location.key === 'schema' ? body : (body.data ?? body));
    const field = location.record.required?.find((name) => name !== 'id' && record && name in record);
    if (!record || field === undefined) return;
    delete record[field];
    changed.add(id);
  };
  return { change, changed };
}

/** The record itself, or the first one of a list. */
function firstRecordOf(found: unknown): Record<string, unknown> | null {
  if (Array.isArray(found)) return (found[0] as Record<string, unknown> | undefined) ?? null;
  return typeof found === 'object' ? (found as Record<string, unknown>) : null;
}
