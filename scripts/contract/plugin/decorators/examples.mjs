import { operationsOf, resolved } from '../document.mjs';

/**
 * Gives a JSON response without an example one that is made of its schema. `x-example` beside the schema names the
 * fields that show other values.
 */
export function examples(root) {
  for (const { operation } of operationsOf(root))
    for (const { content } of Object.values(operation.responses)) {
      const media = content?.['application/json'];
      if (!media || 'example' in media || media.examples) continue;
      const { 'x-example': other, ...rest } = media;
      const sample = sampleOf(root, media.schema);
      content['application/json'] = { ...rest, example: other ? merged(sample, other) : sample };
    }
}

/**
 * Returns the schema's own example, else one made of the examples of its properties. Optional properties without an
 * example are omitted.
 */
function sampleOf(root, schema, isRequired = true) {
  const { examples: own, enum: values, properties, required = [], items, type, ...rest } = resolved(root, schema);
  const variants = rest.anyOf ?? rest.oneOf;
  if (own?.length) return own[0];
  if ('const' in rest) return rest.const;
  if (values) return values[0];
  if (!isRequired) return undefined;
  if (variants) return sampleOf(root, variants[0]);
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => [
      name,
      sampleOf(root, field, required.includes(name)),
    ]);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }
  if (items) return [sampleOf(root, items)].filter((item) => item !== undefined);
  return type === 'object' ? {} : undefined;
}

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const merged = (base, other) =>
  isMap(base) && isMap(other)
    ? {
        ...base,
        ...Object.fromEntries(Object.entries(other).map(([name, value]) => [name, merged(base[name], value)])),
      }
    : other;
