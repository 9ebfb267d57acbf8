import { operationsOf, resolved } from '../document.mjs';

/** Adds a sentence about the dates and the replacement to the description of everything with `x-deprecation`. */
export function deprecations(root) {
  const { parameters = {}, schemas = {} } = root.components;
  for (const parameter of Object.values(parameters)) announce(root, parameter);
  for (const { properties = {} } of Object.values(schemas))
    for (const property of Object.values(properties)) announce(root, property);
  for (const { item, operation } of operationsOf(root))
    for (const node of [operation, ...(item.parameters ?? []), ...(operation.parameters ?? [])]) announce(root, node);
}

function announce(root, node) {
  const deprecation = node['x-deprecation'];
  if (!deprecation) return;
  const sentence = sentenceOf(deprecation);
  const description = node.description ?? resolved(root, node).description;
  if (description?.endsWith(sentence)) return;
  node.description = [description, sentence].filter(Boolean).join('\n\n');
}

const OPERATION_ID = /^[a-z0-9]+([-_][a-z0-9]+)+$/;

function sentenceOf({ since, sunset, replacement }) {
  const instead = OPERATION_ID.test(replacement) ? `Use \`${replacement}\` instead.` : replacement;
  return `Deprecated since ${since}; it may go on ${sunset}. ${instead}`;
}
