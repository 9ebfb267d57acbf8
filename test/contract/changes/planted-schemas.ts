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
    when: 'a field of a body goes',
    plant: (c) => delete inputSchema(c).properties.size,
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-added',
  },
  {
    when: 'a field of a body becomes one of answers alone',
    plant: (c) => (inputSchema(c).properties.size.readOnly = true),
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-added',
  },
  {
    when: 'a field of a body is called otherwise',
    plant: (c) => rename(inputSchema(c), 'at', 'since'),
    kind: 'input-field-renamed',
    subject: 'ThingEdit.at',
    reverseKind: 'input-field-renamed',
  },
  {
    when: 'a field of a body is made required',
    plant: (c) => inputSchema(c).required.push('size'),
    kind: 'input-field-required',
    subject: 'ThingEdit.size',
    reverseKind: 'input-field-optional',
  },
  {
    when: 'a new field of a body is required',
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
    when: 'null is not taken any more',
    plant: (c) => (inputSchema(c).properties.state = { type: 'string', enum: ['open', 'done'] }),
    kind: 'input-null-refused',
    subject: 'ThingEdit.state',
    reverseKind: 'input-widened',
  },
  {
    when: 'a value of an enum is not taken any more',
    plant: (c) => inputSchema(c).properties.state.enum.shift(),
    kind: 'input-value-removed',
    subject: 'ThingEdit.state',
    reverseKind: 'input-widened',
  },
  {
    when: 'what was free is one of some values',
    plant: (c) => (inputSchema(c).properties.name.enum = ['a']),
    kind: 'input-value-removed',
    subject: 'ThingEdit.name',
    reverseKind: 'input-widened',
  },
  {
    when: 'a text must be shorter',
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
    when: 'a variant is not taken any more',
    plant: (c) => inputSchema(c).properties.by.oneOf.pop(),
    kind: 'input-variant-removed',
    subject: 'ThingEdit.by',
    reverseKind: 'input-widened',
  },
  {
    when: 'another name of a field goes',
    plant: (c) => (inputSchema(c)['x-aliases'] = {}),
    kind: 'input-spelling-removed',
    subject: 'ThingEdit',
    reverseKind: 'input-widened',
  },
  {
    when: 'further fields are not taken any more',
    plant: (c) => (inputSchema(c).additionalProperties = true),
    kind: 'input-opened',
    subject: 'ThingEdit',
    reverseKind: 'input-closed',
  },
];

/** Planted changes of what they are answered. */
export const RESPONSE_CHANGES: PlantedChange[] = [
  {
    when: 'a status goes',
    plant: (c) => delete listOperation(c).responses[409],
    kind: 'status-removed',
    subject: 'things_list.409',
    reverseKind: 'status-added',
  },
  {
    when: 'a call may be answered with another success',
    plant: (c) => (listOperation(c).responses[202] = { description: 'Queued.' }),
    kind: 'success-added',
    subject: 'things_list.202',
    reverseKind: 'status-removed',
  },
  {
    when: 'a code of a refusal goes',
    plant: (c) => listOperation(c)['x-error-codes'][404].pop(),
    kind: 'error-code-removed',
    subject: 'things_list.404.svc_lost',
    reverseKind: 'error-code-added',
  },
  {
    when: 'a kind of answer goes',
    plant: (c) => delete listOperation(c).responses[200].content['text/csv'],
    kind: 'content-type-removed',
    subject: 'things_list.200.text/csv',
    reverseKind: 'content-type-added',
  },
  {
    when: 'a header goes',
    plant: (c) => delete listOperation(c).responses[200].headers,
    kind: 'header-removed',
    subject: 'things_list.200.ETag',
    reverseKind: 'header-added',
  },
  {
    when: 'a header is of another type',
    plant: (c) => (listOperation(c).responses[200].headers.ETag.schema.type = 'integer'),
    kind: 'type-changed',
    subject: 'things_list.200.ETag',
    reverseKind: 'type-changed',
  },
  {
    when: 'a field of an answer goes',
    plant: (c) => delete outputSchema(c).properties.size,
    kind: 'field-removed',
    subject: 'Thing.size',
    reverseKind: 'field-added',
  },
  {
    when: 'a field of an answer becomes one of bodies alone',
    plant: (c) => (outputSchema(c).properties.size.writeOnly = true),
    kind: 'field-removed',
    subject: 'Thing.size',
    reverseKind: 'field-added',
  },
  {
    when: 'a field of an answer is called otherwise',
    plant: (c) => rename(outputSchema(c), 'size', 'weight'),
    kind: 'field-renamed',
    subject: 'Thing.size',
    reverseKind: 'field-renamed',
  },
  {
    when: 'a field of an answer may be missing',
    plant: (c) => outputSchema(c).required.pop(),
    kind: 'field-optional',
    subject: 'Thing.at',
    reverseKind: 'field-always',
  },
  {
    when: 'a field of an answer may be null',
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
    when: 'an answer has another format',
    plant: (c) => (outputSchema(c).properties.at.format = 'date'),
    kind: 'format-changed',
    subject: 'Thing.at',
    reverseKind: 'format-changed',
  },
  {
    when: 'an answer has another pattern',
    plant: (c) => (outputSchema(c).properties.name.pattern = '^a'),
    kind: 'pattern-changed',
    subject: 'Thing.name',
    reverseKind: 'pattern-changed',
  },
  {
    when: 'an answer may be longer',
    plant: (c) => (outputSchema(c).properties.name.maxLength = 30),
    kind: 'limit-loosened',
    subject: 'Thing.name',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'an enum of an answer grows',
    plant: (c) => outputSchema(c).properties.state.enum.push('late'),
    kind: 'value-added',
    subject: 'Thing.state',
    reverseKind: 'value-removed',
  },
  {
    when: 'an open list of an answer grows',
    plant: (c) => outputSchema(c).properties.sort['x-extensible-enum'].push('wiki'),
    kind: 'known-value-added',
    subject: 'Thing.sort',
    reverseKind: 'value-removed',
  },
  {
    when: 'an answer may be of another variant',
    plant: (c) => outputSchema(c).properties.about.oneOf.push({ type: 'string' }),
    kind: 'variant-added',
    subject: 'Thing.about',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'an answer may have further fields',
    plant: (c) => (outputSchema(c).additionalProperties = true),
    kind: 'answer-opened',
    subject: 'Thing',
    reverseKind: 'answer-narrowed',
  },
  {
    when: 'a schema below a schema changes',
    plant: (c) => (c.components.schemas.Owner.properties.email.type = 'boolean'),
    kind: 'type-changed',
    subject: 'Owner.email',
    reverseKind: 'type-changed',
  },
  {
    when: 'a schema has another name',
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
