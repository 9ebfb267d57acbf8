/** Data of the request form below an operation. The script of the page creates the form. */
import { deref, parametersOf } from '../../src/contract/index.ts';
import { addressOf, methodOf, type OperationEntry } from './entries.ts';
import { docsExampleCall } from './example-call.ts';
import { escapeHtml } from './highlight.ts';
import type { Heading } from './renderer.ts';
import type { FormField, TryIt } from './try-it-facts.ts';

export const TRY_IT_HEADING: Heading = { level: 2, id: 'try-it', text: 'Try it' };

export function tryItMarkup(entry: OperationEntry): string {
  const { id, text } = TRY_IT_HEADING;
  const data = escapeHtml(JSON.stringify(tryItFormOf(entry)));
  return `<section class="try" aria-labelledby="${id}" data-call="${data}"><h2 id="${id}">${text}</h2>
<noscript><p>This form needs JavaScript.</p></noscript></section>`;
}

function tryItFormOf(entry: OperationEntry): TryIt {
  const call = docsExampleCall(entry);
  const parameters = parametersOf(entry.contract, entry.place);
  const fieldsIn = (where: string, values: Record<string, unknown>): FormField[] =>
    parameters
      .filter((each) => each.in === where && deref(entry.contract, each.schema ?? {}).type !== 'object')
      .map(({ name, required }) => ({
        name,
        value: textOf(values[name]),
        isRequired: required === true,
      }));
  const isInQuery = parameters.some(({ name }) => name === 'input');
  return {
    method: methodOf(entry),
    address: addressOf(entry),
    path: fieldsIn('path', call.pathValues),
    query: fieldsIn('query', call.queryValues),
    input: isInQuery ? JSON.stringify(call.input ?? {}, null, 2) : null,
    body: call.body === null ? null : JSON.stringify(call.body, null, 2),
    form: (call.form ?? []).map(({ name, value, file }) => ({
      name,
      value,
      isRequired: true,
      isFile: file !== null,
    })),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
