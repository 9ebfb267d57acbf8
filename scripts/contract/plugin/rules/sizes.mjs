/** What a caller may send has a size in the contract: without one, its cost is the caller's to choose. */
const PARTS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else'];
const CHOICES = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

const isSchema = (node) => typeof node === 'object' && node !== null;

function* innerOf(schema) {
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield [`.${name}`, property];
  for (const key of PARTS) if (isSchema(schema[key])) yield [key === 'items' ? '[]' : '', schema[key]];
  for (const key of CHOICES) for (const choice of schema[key] ?? []) yield ['', choice];
}

function missingSize(schema) {
  const types = [schema.type].flat();
  if (types.includes('string') && !schema.enum && !('const' in schema) && schema.maxLength === undefined)
    return 'maxLength';
  if (types.includes('array') && schema.maxItems === undefined) return 'maxItems';
  const isOpen = schema.additionalProperties && schema.maxProperties === undefined;
  return types.includes('object') && isOpen ? 'maxProperties' : null;
}

export const sizedInputs = () => {
  const seen = new Set();
  const check = (schema, path, from, context) => {
    const { node, location } = schema.$ref ? context.resolve(schema, from) : { node: schema };
    if (!isSchema(node) || seen.has(node)) return;
    seen.add(node);
    const beside = schema.$ref ? { ...node, ...schema } : node;
    const size = missingSize(beside);
    if (size) context.report({ message: `${path} needs ${size}: callers send it.`, location: context.location });
    const base = location?.source.absoluteRef ?? from;
    for (const [step, inner] of innerOf(node)) check(inner, path + step, base, context);
  };
  const start = (schema, name, context) => {
    if (isSchema(schema)) check(schema, name, context.location.source.absoluteRef, context);
  };
  return {
    Parameter: (parameter, context) => start(parameter.schema, parameter.name, context),
    RequestBody(body, context) {
      for (const { schema } of Object.values(body.content ?? {})) start(schema, 'body', context);
    },
  };
};
