/** Lists of fields: definition lists in HTML, nested lists in Markdown. */
import { valueList, type Field, type FieldGroup } from './fields.ts';
import { escapeHtml } from './highlight.ts';

/** Language of the code block that holds a list of fields as JSON. The renderer converts it to HTML. */
export const FIELDS_LANGUAGE = 'fields';

export const fieldsFence = (groups: readonly FieldGroup[]): string =>
  `\`\`\`\`${FIELDS_LANGUAGE}\n${JSON.stringify(groups)}\n\`\`\`\``;

/** `inline` converts one line of Markdown to HTML. */
export function fieldsHtml(groups: readonly FieldGroup[], inline: (markdown: string) => string): string {
  const list = ({ title, fields }: FieldGroup, depth: number): string =>
    `${title === '' ? '' : `<p>${inline(title)}</p>`}<dl class="field-list">${fields.map((field) => item(field, depth)).join('')}</dl>`;
  const item = (field: Field, depth: number): string => {
    const required = field.isRequired ? ' <strong class="required">required</strong>' : '';
    const name = `<code>${escapeHtml(field.name)}</code>`;
    const inner = field.groups.map((group) => list(group, depth + 1)).join('');
    return [
      `<div><dt>${name} <span class="type">${escapeHtml(field.type)}</span>${required}</dt>`,
      field.description === '' ? '' : `<dd>${inline(field.description)}</dd>`,
      ...factsOf(field).map((fact) => `<dd class="fact">${inline(fact)}</dd>`),
      // The first level usually is only an envelope, such as `data` or `input`.
      inner === ''
        ? ''
        : `<dd><details${depth === 0 ? ' open' : ''}><summary>Fields of ${name}</summary>${inner}</details></dd>`,
      '</div>',
    ].join('');
  };
  return `${groups.map((group) => list(group, 0)).join('')}\n`;
}

export function fieldsMarkdown(groups: readonly FieldGroup[], depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const lines = (fields: readonly Field[], by: number): string[] =>
    fields.flatMap((field) => {
      const facts = [field.type, ...(field.isRequired ? ['required'] : [])].join(', ');
      const text = [field.description, ...factsOf(field)].filter((part) => part !== '').join(' ');
      return [
        `${'  '.repeat(by)}- \`${field.name}\` (${facts})${text === '' ? '' : `: ${text}`}`,
        ...fieldsMarkdown(field.groups, by + 1),
      ];
    });
  return groups.flatMap(({ title, fields }) =>
    title === '' ? lines(fields, depth) : [`${indent}- ${title}`, ...lines(fields, depth + 1)],
  );
}

/** Limits, default, values and example, each as one sentence of Markdown. */
function factsOf({ limits, default: defaultValue, values, example }: Field): string[] {
  return [
    limits.map((limit) => `${capitalized(limit)}.`).join(' '),
    defaultValue === undefined ? '' : `Default: \`${defaultValue}\`.`,
    values === undefined ? '' : `${values.label}: ${valueList(values)}.`,
    example === undefined ? '' : `Example: \`${example}\`.`,
  ].filter((fact) => fact !== '');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
