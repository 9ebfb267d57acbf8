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
  properties: Record<string, SettingsField>;
  /** What its record shows beside the settings, and no edit takes. */
  shown?: Record<string, Node>;
  /**
   * The path of its edit, as in `/settings/emails/{mail_type}/edit`, where its routes are written by hand; nothing but
   * the facts for the code is made of such a group.
   */
  edited_at?: string;
}
export interface SettingsField extends Node {
  type: string;
  /** Of an object, made of the defaults of its fields. */
  default?: unknown;
  description: string;
  enum?: unknown[];
  examples?: unknown[];
  writeOnly?: boolean;
  properties?: Record<string, SettingsField>;
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
  if (group.edited_at !== undefined) return rest;
  const [, slug = ''] = /^v2\/settings\/(.+)\.yaml$/.exec(name) ?? [];
  const record = `${pascal(slug)}Settings`;
  const { title, description, properties, shown = {} } = group;
  const example = { ...exampleOf(properties), ...mapValues(shown, (schema) => (schema['examples'] as unknown[])[0]) };
  const { required, properties: fields } = recordOf(properties);
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
      required: [...required, ...Object.keys(shown)],
      properties: { ...fields, ...shown },
    },
    [`${record}Edit`]: {
      type: 'object',
      description: 'The settings to change.',
      additionalProperties: false,
      minProperties: 1,
      properties: mapValues(properties, editField),
    },
    [`${record}Written`]: {
      'x-envelope': 'written',
      description: `The ${title} after the change.`,
      properties: { data: { $ref: `#/${record}` } },
    },
  };
}

/** The value until it is set; that of an object follows from its fields. */
export const presetOf = (field: SettingsField): unknown =>
  field.properties ? mapValues(field.properties, presetOf) : field.default;

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
  { title, module, effect, properties, example: edit }: SettingsGroup,
  record: string,
  example: Node,
): Node {
  const message = `The ${title} were saved.`;
  return {
    'x-also': ['patch', 'post'],
    operationId: `settings_${operationWords(slug)}_edit`,
    tags: ['settings'],
    summary: `Change the ${title}`,
    description:
      'Sets the settings that are sent; the others stay as they are, and null sets one back to its default.' +
      `${heeded(properties)} ${effect}`,
    'x-permission': 'admin',
    ...(module === undefined ? {} : { 'x-module': module }),
    'x-audit': true,
    'x-etag': true,
    'x-errors': [],
    requestBody: { required: true, content: json(`${record}Edit`, edit) },
    responses: answered('The settings as they are now.', `${record}Written`, {
      success: 1,
      message,
      data: afterwards(properties, example, edit),
    }),
  };
}

/** What goes for some kinds of fields, where the group has them. */
function heeded(properties: Record<string, SettingsField>): string {
  const fields = Object.values(properties);
  const nested = fields.filter((field) => field.properties);
  const isAnyDuration = fields.some((field) => field['x-duration'] !== undefined);
  const isAnyFlag = [...fields, ...nested.flatMap((field) => Object.values(field.properties ?? {}))].some(isFlag);
  return [
    nested.length > 0 ? ' Of an object only what is sent changes.' : '',
    isAnyFlag ? " For 1 and 0 `true` and `false` are taken as well, and the texts `'1'` and `'0'`." : '',
    isAnyDuration
      ? ' For a number of minutes or seconds labels such as `30s`, `5m`, `2min` and `1h` are taken as well.'
      : '',
  ].join('');
}

/** An example of the record: of each field its first, of a secret that there is one. */
const exampleOf = (properties: Record<string, SettingsField>): Node =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) =>
      field.writeOnly ? [`${name}_set`, true] : [name, field.properties ? exampleOf(field.properties) : firstOf(field)],
    ),
  );
const firstOf = ({ examples, enum: values }: SettingsField): unknown => examples?.[0] ?? values?.[0];

/** Null sets back to a default, and says nothing of it; a secret is not told. */
function afterwards(properties: Record<string, SettingsField>, example: Node, edit: Node): Node {
  return mapEntries(example, (name, value) => {
    const sent = edit[name] ?? value;
    const inner = properties[name]?.properties;
    return inner ? afterwards(inner, value as Node, sent as Node) : sent;
  });
}

const json = (schema: string, example: Node): Node => ({
  'application/json': { schema: { $ref: `#/${schema}` }, example },
});
const answered = (description: string, schema: string, example: Node): Node => ({
  '200': { description, content: json(schema, example) },
});

/** Fields as a record shows them: of a secret, whether there is one. */
function recordOf(properties: Record<string, SettingsField>): { required: string[]; properties: Record<string, Node> } {
  const fields = Object.entries(properties).map(([name, field]): [string, Node] =>
    field.writeOnly ? [`${name}_set`, secretField(name, field)] : [name, recordField(field)],
  );
  return { required: fields.map(([name]) => name), properties: Object.fromEntries(fields) };
}

const secretField = (name: string, { 'x-effect': effect }: SettingsField): Node => ({
  type: 'boolean',
  description: `Whether \`${name}\` is set; the secret itself is never shown.`,
  examples: [true],
  'x-effect': effect,
});

/** The default is said in words: a schema with one would have the validator fill it into every edit. */
function recordField(field: SettingsField): Node {
  const { default: preset, description, 'x-duration': _unit, 'x-synonyms': _words, ...rest } = field;
  if (field.properties) return inOrder({ ...rest, ...recordOf(field.properties) }, description);
  return inOrder(rest, `${withoutDot(description)}; ${shownDefault(preset)} unless set.`);
}

function editField(field: SettingsField): Node {
  const { default: preset, description, writeOnly: _writeOnly, type, enum: values, ...schema } = field;
  const { 'x-effect': effect, ...rest } = schema;
  if (field.properties) {
    const shape = { type, ...rest, properties: mapValues(field.properties, editField) };
    return nullable(
      shape,
      description,
      `${withoutDot(description)}; null sets all of it back to the defaults.`,
      effect,
    );
  }
  const said = `${withoutDot(description)}; null ${backTo(field, preset)}.`;
  if (type === 'array') return nullable({ type, ...rest }, description, said, effect);
  const flag = isFlag(field) ? { 'x-flag': true } : {};
  return inOrder(
    { type: [type, 'null'], ...(values ? { enum: [...values, null] } : {}), ...rest, ...flag, 'x-effect': effect },
    said,
  );
}

const nullable = (shape: Node, description: string, said: string, effect: unknown): Node => ({
  description: said,
  anyOf: [{ ...shape, description }, { type: 'null' }],
  ...(effect === undefined ? {} : { 'x-effect': effect }),
});

const isFlag = ({ type, enum: values }: SettingsField): boolean => type === 'integer' && String(values) === '0,1';

const backTo = ({ writeOnly }: SettingsField, preset: unknown): string =>
  writeOnly ? 'takes it away' : `sets it back to ${shownDefault(preset)}`;

/** As a person would write the keys of a field: its shape, its description, what else there is to know. */
function inOrder({ examples, 'x-effect': effect, ...shape }: Node, description: string): Node {
  const extensions = effect === undefined ? {} : { 'x-effect': effect };
  return { ...shape, description, ...(examples ? { examples } : {}), ...extensions };
}

const withoutDot = (text: string): string => text.replace(/\.$/, '');
const shownDefault = (value: unknown): string => (typeof value === 'string' ? value || 'empty' : JSON.stringify(value));

const pascal = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const mapEntries = <T, U>(all: Record<string, T>, change: (name: string, value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(name, value)]));
const mapValues = <T, U>(all: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  mapEntries(all, (_name, value) => change(value));
