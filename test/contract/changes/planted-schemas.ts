import { answer, create, input, list, type Loose, type PlantedChange } from './planted.ts';

function rename(schema: Loose, from: string, to: string): void {
  schema.properties[to] = schema.properties[from];
  delete schema.properties[from];
}

/** Planted changes of what callers send. */
export const changesOfInputs: PlantedChange[] = [
  {
    when: 'a field of a body goes',
    plant: (c) => delete input(c).properties.size,
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    back: 'input-field-added',
  },
  {
    when: 'a field of a body becomes one of answers alone',
    plant: (c) => (input(c).properties.size.readOnly = true),
    kind: 'input-field-removed',
    subject: 'ThingEdit.size',
    back: 'input-field-added',
  },
  {
    when: 'a field of a body is called otherwise',
    plant: (c) => rename(input(c), 'at', 'since'),
    kind: 'input-field-renamed',
    subject: 'ThingEdit.at',
    back: 'input-field-renamed',
  },
  {
    when: 'a field of a body is made required',
    plant: (c) => input(c).required.push('size'),
    kind: 'input-field-required',
    subject: 'ThingEdit.size',
    back: 'input-field-optional',
  },
  {
    when: 'a new field of a body is required',
    plant: (c) => ((input(c).properties.age = { type: 'boolean' }), input(c).required.push('age')),
    kind: 'input-field-required',
    subject: 'ThingEdit.age',
    back: 'input-field-removed',
  },
  {
    when: 'a number becomes an integer',
    plant: (c) => (input(c).properties.size.type = 'integer'),
    kind: 'input-type-narrowed',
    subject: 'ThingEdit.size',
    back: 'input-widened',
  },
  {
    when: 'null is not taken any more',
    plant: (c) => (input(c).properties.state = { type: 'string', enum: ['open', 'done'] }),
    kind: 'input-null-refused',
    subject: 'ThingEdit.state',
    back: 'input-widened',
  },
  {
    when: 'a value of an enum is not taken any more',
    plant: (c) => input(c).properties.state.enum.shift(),
    kind: 'input-value-removed',
    subject: 'ThingEdit.state',
    back: 'input-widened',
  },
  {
    when: 'what was free is one of some values',
    plant: (c) => (input(c).properties.name.enum = ['a']),
    kind: 'input-value-removed',
    subject: 'ThingEdit.name',
    back: 'input-widened',
  },
  {
    when: 'a text must be shorter',
    plant: (c) => (input(c).properties.name.maxLength = 10),
    kind: 'input-limit-tightened',
    subject: 'ThingEdit.name',
    back: 'input-widened',
  },
  {
    when: 'a text has another pattern',
    plant: (c) => (input(c).properties.name.pattern = '^a'),
    kind: 'input-pattern-changed',
    subject: 'ThingEdit.name',
    back: 'input-pattern-changed',
  },
  {
    when: 'a text has another format',
    plant: (c) => (input(c).properties.at.format = 'date'),
    kind: 'input-format-changed',
    subject: 'ThingEdit.at',
    back: 'input-format-changed',
  },
  {
    when: 'a variant is not taken any more',
    plant: (c) => input(c).properties.by.oneOf.pop(),
    kind: 'input-variant-removed',
    subject: 'ThingEdit.by',
    back: 'input-widened',
  },
  {
    when: 'another name of a field goes',
    plant: (c) => (input(c)['x-aliases'] = {}),
    kind: 'input-spelling-removed',
    subject: 'ThingEdit',
    back: 'input-widened',
  },
  {
    when: 'further fields are not taken any more',
    plant: (c) => (input(c).additionalProperties = true),
    kind: 'input-opened',
    subject: 'ThingEdit',
    back: 'input-closed',
  },
];

/** Planted changes of what they are answered. */
export const changesOfAnswers: PlantedChange[] = [
  {
    when: 'a status goes',
    plant: (c) => delete list(c).responses[409],
    kind: 'status-removed',
    subject: 'things_list.409',
    back: 'status-added',
  },
  {
    when: 'a call may be answered with another success',
    plant: (c) => (list(c).responses[202] = { description: 'Queued.' }),
    kind: 'success-added',
    subject: 'things_list.202',
    back: 'status-removed',
  },
  {
    when: 'a code of a refusal goes',
    plant: (c) => list(c)['x-error-codes'][404].pop(),
    kind: 'error-code-removed',
    subject: 'things_list.404.svc_lost',
    back: 'error-code-added',
  },
  {
    when: 'a kind of answer goes',
    plant: (c) => delete list(c).responses[200].content['text/csv'],
    kind: 'content-type-removed',
    subject: 'things_list.200.text/csv',
    back: 'content-type-added',
  },
  {
    when: 'a header goes',
    plant: (c) => delete list(c).responses[200].headers,
    kind: 'header-removed',
    subject: 'things_list.200.ETag',
    back: 'header-added',
  },
  {
    when: 'a header is of another type',
    plant: (c) => (list(c).responses[200].headers.ETag.schema.type = 'integer'),
    kind: 'type-changed',
    subject: 'things_list.200.ETag',
    back: 'type-changed',
  },
  {
    when: 'a field of an answer goes',
    plant: (c) => delete answer(c).properties.size,
    kind: 'field-removed',
    subject: 'Thing.size',
    back: 'field-added',
  },
  {
    when: 'a field of an answer becomes one of bodies alone',
    plant: (c) => (answer(c).properties.size.writeOnly = true),
    kind: 'field-removed',
    subject: 'Thing.size',
    back: 'field-added',
  },
  {
    when: 'a field of an answer is called otherwise',
    plant: (c) => rename(answer(c), 'size', 'weight'),
    kind: 'field-renamed',
    subject: 'Thing.size',
    back: 'field-renamed',
  },
  {
    when: 'a field of an answer may be missing',
    plant: (c) => answer(c).required.pop(),
    kind: 'field-optional',
    subject: 'Thing.at',
    back: 'field-always',
  },
  {
    when: 'a field of an answer may be null',
    plant: (c) => (answer(c).properties.name.type = ['string', 'null']),
    kind: 'field-nullable',
    subject: 'Thing.name',
    back: 'answer-narrowed',
  },
  {
    when: 'a record is never null',
    plant: (c) => (answer(c).properties.owner = { $ref: '#/components/schemas/Owner' }),
    kind: 'answer-narrowed',
    subject: 'Thing.owner',
    back: 'field-nullable',
  },
  {
    when: 'an integer becomes any number',
    plant: (c) => (answer(c).properties.id.type = 'number'),
    kind: 'type-changed',
    subject: 'Thing.id',
    back: 'answer-narrowed',
  },
  {
    when: 'an answer has another format',
    plant: (c) => (answer(c).properties.at.format = 'date'),
    kind: 'format-changed',
    subject: 'Thing.at',
    back: 'format-changed',
  },
  {
    when: 'an answer has another pattern',
    plant: (c) => (answer(c).properties.name.pattern = '^a'),
    kind: 'pattern-changed',
    subject: 'Thing.name',
    back: 'pattern-changed',
  },
  {
    when: 'an answer may be longer',
    plant: (c) => (answer(c).properties.name.maxLength = 30),
    kind: 'limit-loosened',
    subject: 'Thing.name',
    back: 'answer-narrowed',
  },
  {
    when: 'an enum of an answer grows',
    plant: (c) => answer(c).properties.state.enum.push('late'),
    kind: 'value-added',
    subject: 'Thing.state',
    back: 'value-removed',
  },
  {
    when: 'an open list of an answer grows',
    plant: (c) => answer(c).properties.sort['x-extensible-enum'].push('wiki'),
    kind: 'known-value-added',
    subject: 'Thing.sort',
    back: 'value-removed',
  },
  {
    when: 'an answer may be of another variant',
    plant: (c) => answer(c).properties.about.oneOf.push({ type: 'string' }),
    kind: 'variant-added',
    subject: 'Thing.about',
    back: 'answer-narrowed',
  },
  {
    when: 'an answer may have further fields',
    plant: (c) => (answer(c).additionalProperties = true),
    kind: 'answer-opened',
    subject: 'Thing',
    back: 'answer-narrowed',
  },
  {
    when: 'a schema below a schema changes',
    plant: (c) => (c.components.schemas.Owner.properties.email.type = 'boolean'),
    kind: 'type-changed',
    subject: 'Owner.email',
    back: 'type-changed',
  },
  {
    when: 'a schema has another name',
    plant: (c) => {
      const { Thing } = c.components.schemas;
      c.components.schemas.Item = Thing;
      create(c).responses[201].content['application/json'].schema.$ref = '#/components/schemas/Item';
    },
    kind: 'schema-renamed',
    subject: 'things_create.201',
    back: 'schema-renamed',
  },
];
