/** Lists of fields: definition lists for the site, nested lists for readers of Markdown. */
import type { Field, FieldGroup } from './fields.ts';
import { escapeHtml } from './highlight.ts';

/** Language of the fence that holds the fields of a list as JSON. The renderer of the site makes HTML of it. */
export const FIELDS_LANGUAGE = 'fields';

export const fieldsFence = (groups: readonly FieldGroup[]): string =>
  `\`\`\`\`${FIELDS_LANGUAGE}\n${JSON.stringify(groups)}\n\`\`\`\``;

/** `inline` makes HTML of one line of Markdown. */
export function fieldsHtml(groups: readonly FieldGroup[], inline: (markdown: string) => string): string {
  const list = ({ title, fields }: FieldGroup): string =>
    `${title === '' ? '' : `<p>${inline(title)}</p>`}<dl class="field-list">${fields.map(item).join('')}</dl>`;
  const item = (field: Field): string => {
    const required = field.isRequired ? ' <strong class="required">required</strong>' : '';
    const inner = field.groups.map(list).join('');
    const count = field.groups.reduce((sum, { fields }) => sum + fields.length, 0);
    return [
      `<div><dt><code>${escapeHtml(field.name)}</code> <span class="type">${escapeHtml(field.type)}</span>${required}</dt>`,
      ...factsOf(field).map((fact) => `<dd class="fact">${inline(fact)}</dd>`),
      field.description === '' ? '' : `<dd>${inline(field.description)}</dd>`,
      inner === ''
        ? ''
        : `<dd><details><summary>${count} ${count === 1 ? 'field' : 'fields'}</summary>${inner}</details></dd>`,
      '</div>',
    ].join('');
  };
  return `${groups.map(list).join('')}\n`;
}

export function fieldsMarkdown(groups: readonly FieldGroup[], depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const lines = (fields: readonly Field[], by: number): string[] =>
    fields.flatMap((field) => {
      const facts = [field.type, ...(field.isRequired ? ['required'] : [])].join(', ');
      const texts = [...factsOf(field), field.description].filter((text) => text !== '').join(' ');
      return [
        `${'  '.repeat(by)}- \`${field.name}\` (${facts})${texts === '' ? '' : `: ${texts}`}`,
        ...fieldsMarkdown(field.groups, by + 1),
      ];
    });
  return groups.flatMap(({ title, fields }) =>
    title === '' ? lines(fields, depth) : [`${indent}- ${title}`, ...lines(fields, depth + 1)],
  );
}

/** Limits, default, values and example, each as one sentence of Markdown. */
function factsOf({ limits, default: byDefault, values, example }: Field): string[] {
  const shown = values?.shown.map((value) => `\`${value}\``).join(', ');
  const more = values && values.more > 0 ? `, and ${values.more} more` : '';
  return [
    limits.length === 0 ? '' : `${capitalized(limits.join(', '))}.`,
    byDefault === undefined ? '' : `Default: \`${byDefault}\`.`,
    values === undefined ? '' : `${values.isOpen ? 'Known values' : 'Allowed values'}: ${shown}${more}.`,
    example === undefined ? '' : `Example: \`${example}\`.`,
  ].filter((fact) => fact !== '');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
