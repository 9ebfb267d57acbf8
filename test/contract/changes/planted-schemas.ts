import {
  outputSchema,
  createOperation,
  inputSchema,
  listOperation,
  type LooseContract,
  type PlantedChange,
} from './planted-changes.ts';

function rename(schema: LooseContract, from: string, to: string): void {
  schema.properties[to] = schema.properties[from];
  delete schema.properties[from];
}

/** Planted changes of what callers send. */
export const INPUT_CHANGES: PlantedChange[] = [
  {
    when: 'a body field is removed',
    plant: (c) => delete inputSchema(c).properties.size,
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-added',
  },
  {
    when: 'a body field becomes readOnly',
    plant: (c) => (inputSchema(c).properties.size.readOnly = true),
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-added',
  },
  {
    when: 'a body field is renamed',
    plant: (c) => rename(inputSchema(c), 'at', 'since'),
    kind: 'input-field-renamed',
    subject: 'ThingEdit.at',
    reverseKind: 'input-field-renamed',
  },
  {
    when: 'a body field becomes required',
    plant: (c) => inputSchema(c).required.push('size'),
    kind: 'input-field-required',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-optional',
  },
  {
    when: 'a new body field is required',
    plant: (c) => ((inputSchema(c).properties.age = { type: 'boolean' }), inputSchema(c).required.push('age')),
    kind: 'input-field-required',
    subject: 'ThingEdit.age',
    reverseKind: 'input-field-removed',
  },
  {
    when: 'a number becomes an integer',
    plant: (c) => (inputSchema(c).properties.size.type = 'integer'),
    kind: 'input-type-narrowed',
    subject: 'ThingEdit.size',
    reverseKind: 'input-widened',
  },
  {
    when: 'null is no longer accepted',
    plant: (c) => (inputSchema(c).properties.state = { type: 'string', enum: ['open', 'done'] }),
    kind: 'input-null-refused',
    subject: 'ThingEdit.state',
    reverseKind: 'input-widened',
  },
  {
    when: 'an enum value is no longer accepted',
    plant: (c) => inputSchema(c).properties.state.enum.shift(),
    kind: 'input-value-removed',
    subject: 'ThingEdit.state',
    reverseKind: 'input-widened',
  },
  {
    when: 'a free value becomes an enum',
    plant: (c) => (inputSchema(c).properties.name.enum = ['a']),
    kind: 'input-value-removed',
    subject: 'ThingEdit.name',
    reverseKind: 'input-widened',
  },
  {
    when: 'the maximum length of a text is lowered',
    plant: (c) => (inputSchema(c).properties.name.maxLength = 10),
    kind: 'input-limit-tightened',
    subject: 'ThingEdit.name',
    reverseKind: 'input-widened',
  },
  {
    when: 'a text has another pattern',
    plant: (c) => (inputSchema(c).properties.name.pattern = '^a'),
    kind: 'input-pattern-changed',
    subject: 'ThingEdit.name',
    reverseKind: 'input-pattern-changed',
  },
  {
    when: 'a text has another format',
    plant: (c) => (inputSchema(c).properties.at.format = 'date'),
    kind: 'input-format-changed',
    subject: 'ThingEdit.at',
    reverseKind: 'input-format-changed',
  },
  {
    when: 'a variant is no longer accepted',
    plant: (c) => inputSchema(c).properties.by.oneOf.pop(),
    kind: 'input-variant-removed',
    subject: 'ThingEdit.by',
    reverseKind: 'input-widened',
  },
  {
    when: 'an alias of a field is removed',
    plant: (c) => (inputSchema(c)['x-aliases'] = {}),
    kind: 'input-spelling-removed',
    subject: 'ThingEdit',
    reverseKind: 'input-widened',
  },
  {
    when: 'additional fields are no longer accepted',
    plant: (c) => (inputSchema(c).additionalProperties = true),
    kind: 'input-opened',
    subject: 'ThingEdit',
    reverseKind: 'input-closed',
  },
];

/** Planted changes of what they are answered. */
export const RESPONSE_CHANGES: PlantedChange[] = [
  {
    when: 'a status is removed',
    plant: (c) => delete listOperation(c).responses[409],
    kind: 'status-removed',
    subject: 'things_list.409',
    reverseKind: 'status-added',
  },
  {
    when: 'another success status is added',
    plant: (c) => (listOperation(c).responses[202] = { description: 'Queued.' }),
    kind: 'success-added',
    subject: 'things_list.202',
    reverseKind: 'status-removed',
  },
  {
    when: 'an error code is removed',
    plant: (c) => listOperation(c)['x-error-codes'][404].pop(),
    kind: 'error-code-removed',
    subject: 'things_list.404.svc_lost',
    reverseKind: 'error-code-added',
  },
  {
    when: 'a media type of a response is removed',
    plant: (c) => delete listOperation(c).responses[200].content['text/csv'],
    kind: 'content-type-removed',
    subject: 'things_list.200.text/csv',
    reverseKind: 'content-type-added',
  },
  {
    when: 'a header is removed',
    plant: (c) => delete listOperation(c).responses[200].headers,
    kind: 'header-removed',
    subject: 'things_list.200.ETag',
    reverseKind: 'header-added',
  },
  {
    when: 'a header has another type',
    plant: (c) => (listOperation(c).responses[200].headers.ETag.schema.type = 'integer'),
    kind: 'type-changed',
    subject: 'things_list.200.ETag',
    reverseKind: 'type-changed',
  },
  {
    when: 'a response field is removed',
    plant: (c) => delete outputSchema(c).properties.size,
    kind: 'field-removed',
    subject: 'Thing.size',
    reverseKind: 'field-added',
  },
  {
    when: 'a response field becomes writeOnly',
    plant: (c) => (outputSchema(c).properties.size.writeOnly = true),
    kind: 'field-removed',
    subject: 'Thing.size',
    reverseKind: 'field-added',
  },
  {
    when: 'a response field is renamed',
    plant: (c) => rename(outputSchema(c), 'size', 'weight'),
    kind: 'field-renamed',
    subject: 'Thing.size',
    reverseKind: 'field-renamed',
  },
  {
    when: 'a response field may be missing',
    plant: (c) => outputSchema(c).required.pop(),
    kind: 'field-optional',
    subject: 'Thing.at',
    reverseKind: 'field-always',
  },
  {
    when: 'a response field may be null',
    plant: (c) => (outputSchema(c).properties.name.type = ['string', 'null']),
    kind: 'field-nullable',
    subject: 'Thing.name',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'a record is never null',
    plant: (c) => (outputSchema(c).properties.owner = { $ref: '#/components/schemas/Owner' }),
    kind: 'answer-narrowed',
    subject: 'Thing.owner',
    reverseKind: 'field-nullable',
  },
  {
    when: 'an integer becomes any number',
    plant: (c) => (outputSchema(c).properties.id.type = 'number'),
    kind: 'type-changed',
    subject: 'Thing.id',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'a response field has another format',
    plant: (c) => (outputSchema(c).properties.at.format = 'date'),
    kind: 'format-changed',
    subject: 'Thing.at',
    reverseKind: 'format-changed',
  },
  {
    when: 'a response field has another pattern',
    plant: (c) => (outputSchema(c).properties.name.pattern = '^a'),
    kind: 'pattern-changed',
    subject: 'Thing.name',
    reverseKind: 'pattern-changed',
  },
  {
    when: 'a response field may be longer',
    plant: (c) => (outputSchema(c).properties.name.maxLength = 30),
    kind: 'limit-loosened',
    subject: 'Thing.name',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'an enum of a response gets a value',
    plant: (c) => outputSchema(c).properties.state.enum.push('late'),
    kind: 'value-added',
    subject: 'Thing.state',
    reverseKind: 'value-removed',
  },
  {
    when: 'an extensible enum of a response gets a value',
    plant: (c) => outputSchema(c).properties.sort['x-extensible-enum'].push('wiki'),
    kind: 'known-value-added',
    subject: 'Thing.sort',
    reverseKind: 'value-removed',
  },
  {
    when: 'a response may have another variant',
    plant: (c) => outputSchema(c).properties.about.oneOf.push({ type: 'string' }),
    kind: 'variant-added',
    subject: 'Thing.about',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'a response may have additional fields',
    plant: (c) => (outputSchema(c).additionalProperties = true),
    kind: 'answer-opened',
    subject: 'Thing',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'a nested schema changes',
    plant: (c) => (c.components.schemas.Owner.properties.email.type = 'boolean'),
    kind: 'type-changed',
    subject: 'Owner.email',
    reverseKind: 'type-changed',
  },
  {
    when: 'a schema is renamed',
    plant: (c) => {
      const { Thing } = c.components.schemas;
      c.components.schemas.Item = Thing;
      createOperation(c).responses[201].content['application/json'].schema.$ref = '#/components/schemas/Item';
    },
    kind: 'schema-renamed',
    subject: 'things_create.201',
    reverseKind: 'schema-renamed',
  },
];
