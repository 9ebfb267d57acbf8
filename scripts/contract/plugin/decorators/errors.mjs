import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { operationsOf, schemaRef } from '../document.mjs';

const TABLE = parse(readFileSync(new URL('../../../../openapi/shared/error-codes.yaml', import.meta.url), 'utf8'));
const pascal = (code) =>
  code
    .replace(/^svc_/, '')
    .split('_')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');

/** Lets the bundler read the schemas that only `errors` refers to: a decorator comes too late to have a file read. */
export const errorSchemas = () => ({
  Root: {
    enter(root) {
      const components = (root.components ??= {});
      (components.schemas ??= {}).ApiError ??= { $ref: '../shared/errors.yaml#/ApiError' };
      (components.headers ??= {}).RetryAfter ??= { $ref: '../shared/headers.yaml#/RetryAfter' };
    },
  },
});

/** Writes `x-errors` out as one response per status, with the codes that every operation of its kind has. */
export function errors(root) {
  const surface = root.servers[0].url.startsWith('/abilities') ? 'abilities' : 'v2';
  const responses = (root.components.responses ??= {});
  const rows = Object.entries(TABLE).map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`);
  const description = ['| code | status | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
  root.tags.push({ name: 'Error codes', description, 'x-traitTag': true });
  for (const { verb, operation } of operationsOf(root)) {
    const applies = {
      body: ['post', 'put', 'patch'].includes(verb),
      writes: verb !== 'get',
      all: true,
      [surface]: true,
    };
    const own = new Set(operation['x-errors']);
    if (operation['x-module']) own.add('svc_module_not_available');
    if (operation['x-etag'] && verb !== 'get') own.add('svc_precondition_failed');
    for (const code of own)
      if (!TABLE[code]) throw new Error(`${operation.operationId} names the unknown code ${code}.`);
    delete operation['x-errors'];
    const codes = Object.keys(TABLE).filter((code) => own.has(code) || applies[TABLE[code].everywhere]);
    const byStatus = {};
    for (const code of codes) (byStatus[TABLE[code].status] ??= []).push(code);
    for (const [status, list] of Object.entries(byStatus)) {
      const name = `Error${status}${list.map(pascal).join('')}`;
      responses[name] ??= responseOf(Number(status), list);
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
}

const responseOf = (status, codes) => ({
  description: codes.map((code) => `\`${code}\`: ${TABLE[code].meaning}`).join('\n\n'),
  'x-error-codes': codes,
  ...([429, 503].includes(status) ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } } : {}),
  content: {
    'application/json': {
      schema: schemaRef('ApiError'),
      example: { code: codes[0], message: TABLE[codes[0]].meaning.replaceAll('`', ''), data: { status } },
    },
  },
});
