import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { nameOf, operationsOf } from '../document.mjs';

const FILE = new URL('../../../../openapi/shared/error-codes.yaml', import.meta.url);
const { codes: CODES, items: ITEM_CODES, remedies: REMEDIES, responses: COMMON } = parse(readFileSync(FILE, 'utf8'));
const COMMON_TO = {
  all: 'Every operation',
  body: 'Operations with a request body',
  writes: 'Every operation but GET',
  module: 'Operations of a module',
};

/**
 * Says in the descriptions which codes an error can have: in an operation its own, in a shared response those that many
 * operations have, and in the tag `Error codes` all of them. Shows an example of each code of a shared response.
 */
export function errorCodes(root) {
  for (const { operation } of operationsOf(root)) {
    const own = operation['x-errors'] ?? [];
    if (own.length > 0)
      operation.description = paragraphs(operation.description, `Errors: ${own.map(withStatus).join(', ')}.`);
  }
  const used = usedCodes(root);
  for (const [name, response] of Object.entries(root.components.responses ?? {})) {
    response.description = paragraphs(response.description, ...commonIn(root, name));
    const codes = [...(used.get(name) ?? [])].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
    const media = response.content['application/json'];
    media.examples = { ...Object.fromEntries(codes.map((code) => [code, exampleOf(code)])), ...media.examples };
  }
  const chapter = root.tags?.find(({ name }) => name === 'Error codes');
  if (chapter) chapter.description = paragraphs(chapter.description, tableOf());
}

/** The status of a code, as the key of a response. */
export function statusOf(code) {
  if (!CODES[code]) throw new Error(`x-errors names the unknown code ${code}.`);
  return String(CODES[code].status);
}

const ORDER = Object.keys(CODES);
const paragraphs = (...all) => all.filter(Boolean).join('\n\n');
const quoted = (codes) => codes.map((code) => `\`${code}\``).join(', ');
const surfaceOf = (root) => (root.servers[0].url.startsWith('/abilities') ? 'abilities' : 'v2');

const withStatus = (code) => `${statusOf(code)} \`${code}\``;

function commonIn(root, name) {
  const { [surfaceOf(root)]: ofSurface = [], all = [], ...kinds } = COMMON[name] ?? {};
  const lists = Object.entries({
    all: [...ofSurface, ...all],
    body: kinds.body,
    writes: kinds.writes,
    module: kinds.module,
  });
  return lists.flatMap(([kind, codes]) => (codes?.length ? [`${COMMON_TO[kind]}: ${quoted(codes)}.`] : []));
}

/** The codes of each shared response: common ones, and those of the operations that refer to it. */
function usedCodes(root) {
  const used = new Map();
  for (const { operation } of operationsOf(root))
    for (const [status, response] of Object.entries(operation.responses)) {
      const name = nameOf(response);
      if (name === undefined) continue;
      const { abilities: _abilities, v2: _v2, ...kinds } = COMMON[name] ?? {};
      const common = [...(COMMON[name]?.[surfaceOf(root)] ?? []), ...Object.values(kinds).flat()];
      const own = (operation['x-errors'] ?? []).filter((code) => statusOf(code) === status);
      used.set(name, new Set([...(used.get(name) ?? []), ...common, ...own]));
    }
  return used;
}

function exampleOf(code) {
  const { status, meaning, example } = CODES[code];
  return { value: { code, message: meaning.replaceAll('`', ''), ...example, data: { status, ...example?.data } } };
}

/** Codes that only items have show `item` instead of a status. */
function tableOf() {
  const all = [
    ...Object.entries(CODES).map(([code, { status, meaning }]) => [code, status, meaning]),
    ...Object.entries(ITEM_CODES).map(([code, meaning]) => [code, 'item', meaning]),
  ];
  const rows = all.map(([code, status, meaning]) => `| \`${code}\` | ${status} | ${meaning} | ${remedyOf(code)} |`);
  return ['| code | status | meaning | what to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function remedyOf(code) {
  if (!REMEDIES[code]) throw new Error(`error-codes.yaml has no remedy for ${code}.`);
  return REMEDIES[code];
}
