import { operationsOf, type ContractOperation, type Parameter } from '../../src/contract/index.ts';
import type { Document } from './document.ts';
import { readSharedHeaders } from './shared.ts';

/**
 * Writes into each operation the headers that follow from its verb and from `x-etag`, with the answers they bring
 * about.
 */
export function expandHeaders(document: Document): Document {
  const { IdempotencyReplayed, ETag, IdempotencyKey, IfNoneMatch, IfMatch } = readSharedHeaders();
  const parameters = { IdempotencyKey, IfNoneMatch, IfMatch };
  const used = new Set<string>();
  const ask = (operation: ContractOperation, name: string): void => {
    used.add(name);
    operation.parameters = [...(operation.parameters ?? []), { $ref: `#/components/parameters/${name}` } as Parameter];
  };
  const show = (operation: ContractOperation, name: string): void => {
    const schemaName = name.replaceAll('-', '');
    used.add(schemaName);
    for (const [status, answer] of Object.entries(operation.responses))
      if (/^[23]/.test(status))
        answer.headers = { ...answer.headers, [name]: { $ref: `#/components/headers/${schemaName}` } };
  };
  for (const { verb, operation } of operationsOf(document)) {
    if (verb !== 'get') {
      ask(operation, 'IdempotencyKey');
      show(operation, 'Idempotency-Replayed');
    }
    if (!operation['x-etag']) continue;
    if (verb === 'get') operation.responses['304'] = { description: 'The caller has the record as it is.' };
    ask(operation, verb === 'get' ? 'IfNoneMatch' : 'IfMatch');
    show(operation, 'ETag');
    if (verb !== 'get') operation['x-errors'] = [...(operation['x-errors'] ?? []), 'svc_precondition_failed'];
  }
  const chosen = (all: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name)));
  Object.assign((document.components['parameters'] ??= {}), chosen(parameters));
  Object.assign((document.components['headers'] ??= {}), chosen({ IdempotencyReplayed, ETag }));
  return document;
}
