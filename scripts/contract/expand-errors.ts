import { operationsOf } from '../../src/contract/index.ts';
import type { Surface } from './surfaces.ts';
import type { Document } from './document.ts';
import { readSharedErrors, readSharedHeaders, type CodeTable } from './shared.ts';

const pascal = (code: string): string =>
  code
    .replace(/^svc_/, '')
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/**
 * Writes each operation's `x-errors` out as answers per status that say their codes, in words and in `x-error-codes`.
 * All of them have one schema, so that a generated client has one model of a refusal; equal answers become one
 * component. The table of all codes is a chapter of its own: generators copy the description of a document into every
 * file that they write.
 */
export function expandErrors(document: Document, surface: Surface): Document {
  const { table, schemas } = readSharedErrors();
  Object.assign((document.components['schemas'] ??= {}), schemas);
  const responses = (document.components['responses'] ??= {});
  (document.components['headers'] ??= {})['RetryAfter'] = readSharedHeaders()['RetryAfter'];
  const known = Object.keys(table);
  document.tags = [
    ...(document.tags ?? []),
    { name: 'Error codes', description: codesInWords(table), 'x-traitTag': true },
  ];

  for (const { verb, operation } of operationsOf(document)) {
    const codes = new Set(operation['x-errors'] ?? []);
    for (const code of codes)
      if (!table[code]) throw new Error(`${operation.operationId} names the unknown code ${code}.`);
    for (const code of known) {
      const where = table[code]?.everywhere;
      // A body is read wherever one may be sent, wanted or not.
      const readsBody = verb === 'post' || verb === 'put' || verb === 'patch';
      const applies = { body: readsBody, writes: verb !== 'get', all: true, [surface]: true };
      if (where && where in applies && applies[where as keyof typeof applies]) codes.add(code);
    }
    if (operation['x-module']) codes.add('svc_module_not_available');
    delete operation['x-errors'];
    const byStatus = new Map<number, string[]>();
    for (const code of known) {
      if (!codes.has(code)) continue;
      const status = table[code]?.status ?? 500;
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
    for (const [status, list] of [...byStatus].sort(([a], [b]) => a - b)) {
      const name = `Error${status}${list.map(pascal).join('')}`;
      responses[name] ??= errorAnswer(status, list, table);
      operation.responses[String(status)] = { $ref: `#/components/responses/${name}` };
    }
  }
  return document;
}

function codesInWords(table: CodeTable): string {
  const rows = Object.entries(table).map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`);
  return ['| code | status | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function errorAnswer(status: number, codes: string[], table: CodeTable): unknown {
  return {
    description: codes.map((code) => `\`${code}\`: ${table[code]?.meaning}`).join('\n\n'),
    'x-error-codes': codes,
    ...(COMING_BACK.includes(status)
      ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }
      : {}),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ApiError' },
        example: { code: codes[0], message: plain(table[codes[0] ?? '']?.meaning ?? ''), data: { status } },
      },
    },
  };
}

/** Statuses whose answers may say when to come back. */
const COMING_BACK = [429, 503];

const plain = (text: string): string => text.replaceAll('`', '');
