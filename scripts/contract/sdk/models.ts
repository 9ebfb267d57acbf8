import { componentNameOf, deref, schemasOf, type Schema } from '../../../src/contract/index.ts';
import type { Document } from '../document.ts';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';

const SCHEMAS = '#/components/schemas/';
/** Keywords that have no effect on a TypeScript type. */
const UNTYPED = /^(x-(?!extensible-enum)|examples?$|min|max|pattern$|unique)/;

/** Collects the named schemas of both surfaces for the types of the SDK. */
export class ModelCollector {
  readonly schemas: Record<string, Schema> = {};
  readonly #documents: Record<Surface, Document>;
  /** Names that mean different things on the two surfaces; v2 keeps the name. */
  readonly #ambiguous: ReadonlySet<string>;

  constructor(documents: Record<Surface, Document>) {
    this.#documents = documents;
    this.#ambiguous = this.#findAmbiguous();
  }

  /** A schema of a surface in terms of models; those that it names are taken in. */
  schemaOf(surface: Surface, schema: Schema): Schema {
    const plain = plainOf(this.#documents[surface], schema);
    return this.#renamed(surface, plain);
  }

  /** Takes a schema in under a name of its own. */
  add(name: string, schema: Schema): Schema {
    if (this.schemas[name]) throw new Error(`Two models would be called ${name}.`);
    this.schemas[name] = schema;
    return { $ref: SCHEMAS + name };
  }

  /** The names that a schema leads to, over any number of steps. */
  reachedFrom(schema: Schema, reached = new Set<string>()): Set<string> {
    for (const name of namesIn(schema)) {
      if (reached.has(name)) continue;
      reached.add(name);
      this.reachedFrom(this.schemas[name] ?? {}, reached);
    }
    return reached;
  }

  #renamed(surface: Surface, schema: Schema): Schema {
    return mapped(schema, (node) => {
      const name = componentNameOf(node);
      if (name === undefined) return node;
      const own = surface === 'abilities' && this.#ambiguous.has(name) ? `Ability${name}` : name;
      if (!this.schemas[own]) {
        // Named before it is filled, since it may lead back to itself.
        this.schemas[own] = {};
        const target = schemasOf(this.#documents[surface])[name] ?? {};
        this.schemas[own] = withConfirmation(this.#renamed(surface, plainOf(this.#documents[surface], target)));
      }
      return { ...node, $ref: SCHEMAS + own };
    });
  }

  #findAmbiguous(): Set<string> {
    const [abilities, v2] = SURFACES.map((surface) => {
      const document = this.#documents[surface];
      return new Map(Object.entries(schemasOf(document)).map(([name, schema]) => [name, plainOf(document, schema)]));
    }) as [Map<string, Schema>, Map<string, Schema>];
    const shared = [...abilities].filter(([name]) => v2.has(name));
    const shapeOf = (schema: Schema | undefined): string => JSON.stringify(withoutDescriptions(schema ?? {}));
    const ambiguous = new Set(
      shared.filter(([name, schema]) => shapeOf(schema) !== shapeOf(v2.get(name))).map(([name]) => name),
    );
    // A schema that refers to an ambiguous one is ambiguous too.
    for (let before = -1; before !== ambiguous.size;) {
      before = ambiguous.size;
      for (const [name, schema] of shared) if (namesIn(schema).some((each) => ambiguous.has(each))) ambiguous.add(name);
    }
    return ambiguous;
  }
}

/**
 * The contract accepts `confirm: false`, because the service answers it with an error of its own. A program that
 * compiles should not get that error.
 */
function withConfirmation(schema: Schema): Schema {
  const { confirm, dry_run: preview } = schema.properties ?? {};
  if (!confirm || isConditional(confirm)) return schema;
  const demand = (name: string): Schema => ({ type: 'object', properties: { [name]: TRUE }, required: [name] });
  if (preview) return { ...schema, allOf: [{ anyOf: [demand('confirm'), demand('dry_run')] }] };
  const { default: _, ...field } = confirm;
  const properties = { ...schema.properties, confirm: { ...field, ...TRUE } };
  return { ...schema, properties, required: [...(schema.required ?? []), 'confirm'] };
}

const TRUE: Schema = { const: true };

/** True if only some calls of the operation need `confirm`, which a type cannot express. */
const isConditional = ({ description = '' }: Schema & { description?: string }): boolean =>
  description.startsWith('Must be true if');

/** With the values that have a name only so that the sources can share them written out. */
function plainOf(document: Document, schema: Schema): Schema {
  return mapped(schema, (node) => {
    const { allOf: [only] = [], ...own } = node;
    const { $ref, ...beside } = { ...only, ...own };
    if ($ref === undefined) return typed(node);
    const target = deref(document, { $ref });
    return isModel(target) ? typed({ $ref, ...beside }) : plainOf(document, { ...target, ...beside });
  });
}

const typed = (node: Schema): Schema => Object.fromEntries(Object.entries(node).filter(([key]) => !UNTYPED.test(key)));

const isModel = ({ properties, enum: values, 'x-extensible-enum': known, anyOf, oneOf }: Schema): boolean =>
  properties !== undefined || values !== undefined || known !== undefined || ((anyOf ?? oneOf)?.length ?? 0) > 2;

/** A copy in which each schema is what becomes of it, from the outside to the inside. */
function mapped(schema: Schema, change: (node: Schema) => Schema): Schema {
  const { properties, items, additionalProperties, anyOf, oneOf, ...rest } = change(schema);
  const inside = (node: Schema): Schema => mapped(node, change);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inside(each)])),
    }),
    ...(items && { items: inside(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? inside(additionalProperties) : additionalProperties,
    }),
    ...(anyOf && { anyOf: anyOf.map(inside) }),
    ...(oneOf && { oneOf: oneOf.map(inside) }),
  };
}

const withoutDescriptions = (schema: Schema): Schema => mapped(schema, ({ description: _, ...rest }) => rest);

function namesIn(schema: Schema): string[] {
  const names: string[] = [];
  mapped(schema, (node) => {
    const name = componentNameOf(node);
    if (name !== undefined) names.push(name);
    return node;
  });
  return names;
}
