import { isNode, type Node, type Source } from './source.ts';

/** What the source of a group of settings says: `openapi/v2/settings/<group>.yaml`. */
export interface SettingsGroup extends Node {
  /** As in "The advanced settings were saved." */
  title: string;
  description: string;
  /** What a change does, and from when on. */
  effect: string;
  /** The module that it belongs to, if any. */
  module?: string;
  /** Of an edit. */
  example: Node;
  /** Kind, range, `default` and `x-effect` of each; one with `writeOnly` is a secret. */
  properties: Record<string, Field>;
}
interface Field extends Node {
  type: string;
  default: unknown;
  description: string;
  enum?: unknown[];
  examples?: unknown[];
  writeOnly?: boolean;
}

const GROUP = '#/group';

/** A group stands once in the table of contents, and has two paths. */
export function withGroupPaths(source: Source): Source {
  if (!isNode(source['paths'])) return source;
  const paths = Object.entries(source['paths']).flatMap(([path, item]): [string, unknown][] => {
    const file = (item as { $ref?: string }).$ref;
    if (!file?.endsWith(GROUP)) return [[path, item]];
    const at = (part: string): Node => ({ $ref: file.replace(GROUP, `#/${part}`) });
    return [
      [path, at('read')],
      [`${path}/edit`, at('edit')],
    ];
  });
  return { ...source, paths: Object.fromEntries(paths) };
}

/** A group of settings, with the paths that read and edit it and the schemas that follow from its fields. */
export function withGroup(name: string, source: Source): Source {
  const { group, ...rest } = source as Source & { group?: SettingsGroup };
  if (!group) return source;
  const [, slug = ''] = /^v2\/settings\/(.+)\.yaml$/.exec(name) ?? [];
  const record = `${pascal(slug)}Settings`;
  const { title, description, properties } = group;
  const fields = Object.entries(properties);
  const shown = fields.filter(([, field]) => !field.writeOnly);
  const example = Object.fromEntries(
    shown.map(([field, { examples, enum: values }]) => [field, examples?.[0] ?? values?.[0]]),
  );
  return {
    ...rest,
    read: { get: readOf(slug, group, record, example) },
    edit: { put: editOf(slug, group, record, example) },
    [`${record}Answer`]: {
      'x-envelope': 'read',
      description: `The ${title}.`,
      properties: { data: { $ref: `#/${record}` } },
    },
    [record]: {
      type: 'object',
      description,
      additionalProperties: false,
      required: shown.map(([field]) => field),
      properties: Object.fromEntries(shown.map(([field, schema]) => [field, recordField(schema)])),
    },
    [`${record}Edit`]: {
      type: 'object',
      description: 'The settings to change.',
      additionalProperties: false,
      minProperties: 1,
      properties: Object.fromEntries(fields.map(([field, schema]) => [field, editField(schema)])),
    },
    [`${record}Written`]: {
      'x-envelope': 'written',
      description: `The ${title} after the change.`,
      properties: { data: { $ref: `#/${record}` } },
    },
  };
}

export const operationWords = (slug: string): string => slug.replaceAll('-', '_');

function readOf(slug: string, { title, module }: SettingsGroup, record: string, example: Node): Node {
  return {
    operationId: `settings_${operationWords(slug)}_get`,
    tags: ['settings'],
    summary: `Get the ${title}`,
    description: 'Every setting of the group with its present value.',
    'x-permission': 'read',
    ...(module === undefined ? {} : { 'x-module': module }),
    'x-etag': true,
    'x-errors': [],
    responses: answered('The settings.', `${record}Answer`, { success: 1, data: example }),
  };
}

function editOf(
  slug: string,
  { title, module, effect, example: edit }: SettingsGroup,
  record: string,
  example: Node,
): Node {
  const message = `The ${title} were saved.`;
  return {
    'x-also': ['patch', 'post'],
    operationId: `settings_${operationWords(slug)}_edit`,
    tags: ['settings'],
    summary: `Change the ${title}`,
    description: `Sets the settings that are sent; the others stay as they are, and null sets one back to its default. ${effect}`,
    'x-permission': 'admin',
    ...(module === undefined ? {} : { 'x-module': module }),
    'x-audit': true,
    'x-etag': true,
    'x-errors': [],
    requestBody: { required: true, content: json(`${record}Edit`, edit) },
    responses: answered('The settings as they are now.', `${record}Written`, {
      success: 1,
      message,
      data: afterwards(example, edit),
    }),
  };
}

/** Null sets back to a default, and says nothing of it; a secret is not told. */
const afterwards = (example: Node, edit: Node): Node =>
  Object.fromEntries(Object.entries(example).map(([field, value]) => [field, edit[field] ?? value]));

const json = (schema: string, example: Node): Node => ({
  'application/json': { schema: { $ref: `#/${schema}` }, example },
});
const answered = (description: string, schema: string, example: Node): Node => ({
  '200': { description, content: json(schema, example) },
});

/** The default is said in words: a schema with one would have the validator fill it into every edit. */
function recordField({ default: preset, description, ...field }: Field): Node {
  return inOrder(field, `${withoutDot(description)}; ${shownDefault(preset)} unless set.`);
}

function editField({ default: preset, description, writeOnly: _writeOnly, ...field }: Field): Node {
  const said = `${withoutDot(description)}; null sets it back to ${shownDefault(preset)}.`;
  const { type, enum: values, ...rest } = field;
  const { 'x-effect': effect, ...shape } = field;
  if (type === 'object' || type === 'array')
    return { description: said, anyOf: [{ ...shape, description }, { type: 'null' }], 'x-effect': effect };
  return inOrder({ type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}), ...rest }, said);
}

/** As a person would write the keys of a field: its shape, its description, what else there is to know. */
function inOrder({ examples, 'x-effect': effect, ...shape }: Node, description: string): Node {
  return { ...shape, description, ...(examples ? { examples } : {}), 'x-effect': effect };
}

const withoutDot = (text: string): string => text.replace(/\.$/, '');
const shownDefault = (value: unknown): string => (typeof value === 'string' ? value || 'empty' : JSON.stringify(value));

const pascal = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
