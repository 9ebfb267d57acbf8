/** Rules about shapes that generators of client code make working code of. */
const kindsOf = ({ type }) => [type].flat().filter(Boolean);
const isNull = (schema) => kindsOf(schema).join() === 'null';

const plainBooleans = () => ({
  Schema(schema, { report, location }) {
    if (kindsOf(schema).includes('boolean') && ('const' in schema || 'enum' in schema))
      report({ message: "A boolean has no const or enum: generators make the text 'true' of it.", location });
  },
});

/** Generators know a type and null, and variants in `anyOf`; they reject other lists of types, and null in an enum. */
const oneKind = () => ({
  Schema(schema, { report, location }) {
    const kinds = kindsOf(schema);
    const values = kinds.filter((kind) => kind !== 'null');
    const isNullable = values.length < kinds.length;
    if (values.length > 1 || (isNullable && (values.includes('object') || values.includes('array'))))
      report({ message: `Say anyOf instead of the types ${kinds.join(' and ')}.`, location: location.child('type') });
    if (schema.enum?.includes(null))
      report({ message: 'Say anyOf instead of null in an enum.', location: location.child('enum') });
    if (schema.oneOf?.some(isNull))
      report({ message: 'Something or null is anyOf.', location: location.child('oneOf').key() });
  },
});

/** A client tells the variants of an answer apart by fields that one must have and the other lacks. */
const exclusiveVariants = () => ({
  Schema(schema, { report, location, resolve }) {
    const variants = (schema.oneOf ?? []).map((each) => (each.$ref ? resolve(each).node : each));
    if (variants.some((each) => !each?.properties)) return;
    const isTold = (name, { properties }) => {
      const field = properties[name]?.$ref ? resolve(properties[name]).node : properties[name];
      return field && !kindsOf(field).includes('null') && !field.anyOf?.some(isNull);
    };
    for (const one of variants)
      for (const other of variants)
        if (one !== other && !(one.required ?? []).some((name) => !(name in other.properties) && isTold(name, one)))
          report({
            message: `Nothing tells the variant "${one.description}" from "${other.description}".`,
            location: location.child('oneOf').key(),
          });
  },
});

const LONGEST_NAME = 40;
const pascal = (field) =>
  field
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** What a client makes a class of has a name; without one, generators number it. */
const namedShapes = () => ({
  MediaType(media, { key, report, location }) {
    if (key === 'application/json' && media.schema && !media.schema.$ref)
      report({ message: 'The body has no name.', location: location.child('schema') });
  },
  Schema(schema, { report, location }) {
    if (schema.properties && !/^#\/components\/schemas\/[^/]+$/.test(location.pointer))
      report({ message: 'The object has no name.', location });
  },
  NamedSchemas(schemas, { report, location }) {
    if ('Client' in schemas)
      report({ message: 'Client is how Go calls the HTTP client.', location: location.child('Client').key() });
    for (const [name, { $ref, type, default: preset, properties = {} }] of Object.entries(schemas)) {
      if (type === 'array' && preset !== undefined)
        report({
          message: `${name} is a list with a default: write it where it is used, for Go.`,
          location: location.child(name).key(),
        });
      if (name.length > LONGEST_NAME)
        report({ message: `${name} has more than ${LONGEST_NAME} letters.`, location: location.child(name).key() });
      for (const [field, { enum: values, items, properties: inner }] of Object.entries(properties))
        if ((values ?? items?.enum ?? inner) && name + pascal(field) in schemas)
          report({
            message: `${name + pascal(field)} is how generators call the type of ${name}.${field}.`,
            location: location.child(name).key(),
          });
      if (name.startsWith('New') && name.slice(3) in schemas)
        report({
          message: `${name} is how Go calls the constructor of ${name.slice(3)}.`,
          location: location.child(name).key(),
        });
      if ($ref)
        report({
          message: `${name} is another name of ${$ref.split('/').at(-1)}: Python makes a value of no type of it.`,
          location: location.child(name),
        });
    }
  },
});

/** The responses that are components are errors. */
const oneErrorModel = () => ({
  NamedResponses(answers, { report, location }) {
    for (const [name, { content }] of Object.entries(answers))
      if (!content?.['application/json']?.schema?.$ref?.endsWith('/ApiError'))
        report({ message: `${name} has another model than ApiError.`, location: location.child(name).key() });
  },
});

/** Parameters of these names mean one thing everywhere, so they are of one type. */
const ONE_MEANING = new Set([
  ...['_fields', 'page', 'per_page', 'search', 'include', 'exclude', 'full_data', 'maximum'],
  ...['websites', 'groups', 'clients', 'dtsstart', 'dtsstop'],
]);
const agreeingParameters = () => {
  const seen = new Map();
  return {
    Parameter(parameter, { report, location }) {
      if (parameter.in !== 'query' || !ONE_MEANING.has(parameter.name)) return;
      const { type, format, items } = parameter.schema ?? {};
      const kind = JSON.stringify([type, format, items?.type, parameter.style, parameter.explode]);
      const other = seen.get(parameter.name) ?? kind;
      seen.set(parameter.name, other);
      if (kind !== other)
        report({
          message: `${parameter.name} is ${kind} here and ${other} elsewhere.`,
          location: location.child('schema'),
        });
    },
  };
};

/**
 * A filter such as `TagTypeFilter` accepts every value of `TagType`, so that callers can filter by each value that they
 * read. It can accept more, such as `any`.
 */
const completeFilters = () => ({
  NamedSchemas(schemas, { report, location }) {
    for (const [name, { enum: accepted }] of Object.entries(schemas)) {
      const filtered = /^(.+)Filter$/.exec(name)?.[1];
      const values = schemas[filtered]?.['x-extensible-enum'] ?? schemas[filtered]?.enum;
      if (!accepted || !values) continue;
      const missing = values.filter((value) => !accepted.includes(value));
      if (missing.length > 0)
        report({
          message: `Add ${missing.join(', ')} to ${name}: ${filtered} has it.`,
          location: location.child(name),
        });
    }
  },
});

export const shapeRules = {
  'plain-booleans': plainBooleans,
  'one-kind': oneKind,
  'exclusive-variants': exclusiveVariants,
  'named-shapes': namedShapes,
  'one-error-model': oneErrorModel,
  'agreeing-parameters': agreeingParameters,
  'complete-filters': completeFilters,
};
