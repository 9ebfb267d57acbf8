import { deref, jsonMediaOf, type Contract, type ContractOperation, type Schema } from '../../src/contract/index.ts';

/** `generated/settings.ts`: shape and default of every setting of the groups that share their handlers. */
export function settingsModule(contract: Contract): string {
  const groups = Object.entries(contract.paths).flatMap(([path, { get }]): [string, object][] => {
    const [, slug] = /^\/settings\/([a-z-]+)$/.exec(path) ?? [];
    const edit = contract.paths[`${path}/edit`]?.put;
    return slug && get && edit ? [[slug, groupOf(contract, path, get, edit)]] : [];
  });
  const sorted = groups.sort(([one], [other]) => (one < other ? -1 : 1));
  return `export const SETTINGS = ${JSON.stringify(Object.fromEntries(sorted), null, 2)} as const;\n`;
}

/** Settings that are null until they are set. Their domain derives the value that is shown from another setting. */
const DERIVED: ReadonlySet<string> = new Set(['decimals']);

function groupOf(contract: Contract, path: string, read: ContractOperation, edit: ContractOperation): object {
  const answer = deref(contract, jsonMediaOf(read.responses['200'])?.schema ?? {});
  const record = deref(contract, answer.properties?.['data'] ?? {});
  const { properties = {} } = deref(contract, jsonMediaOf(edit.requestBody)?.schema ?? {});
  const facts = new SettingSchemaReader(contract);
  return {
    id: /^settings_(\w+)_get$/.exec(read.operationId)?.[1],
    title: read.summary?.replace('Get the ', ''),
    description: record['description'],
    module: read['x-module'] ?? null,
    edit: `${path}/edit`,
    fields: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const shown = record.properties?.[name];
        const secret = shown === undefined;
        return [
          name,
          {
            ...(secret ? facts.secret(field) : DERIVED.has(name) ? facts.derived(field) : facts.preset(field, shown)),
            secret,
          },
        ];
      }),
    ),
  };
}

/** Reads a setting from the edit, which has its range, and from the record, which has its default. */
class SettingSchemaReader {
  readonly #contract: Contract;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  preset(field: Schema, shown: Schema): object {
    const { properties } = this.#value(field);
    if (!properties) return { ...this.#shape(field), default: this.#defaultOf(shown) };
    const inner = this.#value(shown).properties ?? {};
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, this.preset(each, inner[name] ?? {})]),
    );
    const preset = Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [name, (each as { default: unknown }).default]),
    );
    return { kind: 'object', fields, default: preset };
  }

  derived = (field: Schema): object => ({ ...this.#shape(field), default: null });

  /** A secret is unset by default. */
  secret = (field: Schema): object => ({ ...this.#shape(field), default: '' });

  #defaultOf(shown: Schema): unknown {
    const preset = shown.default ?? this.#value(shown).default;
    if (preset === undefined) throw new Error(`A setting has no default: ${JSON.stringify(shown)}`);
    return preset;
  }

  #shape(field: Schema): object {
    const { enum: values, minimum, maximum, maxLength, pattern, items, maxItems, type } = this.#value(field);
    if (Array.isArray(values)) {
      const own = values.filter((value) => value !== null);
      return String(own) === '0,1' ? { kind: 'flag' } : { kind: 'choice', values: own };
    }
    const [kind] = [type ?? []].flat().filter((each) => each !== 'null');
    switch (kind) {
      case 'integer':
      case 'number':
        return { kind, minimum, maximum };
      case 'string':
        return { kind: 'text', maxLength, ...(pattern === undefined ? {} : { pattern }) };
      case 'array':
        return { kind: 'list', maxItems, of: this.#shape(items ?? {}) };
      default:
        throw new Error(`A setting cannot be of the type ${String(kind)}.`);
    }
  }

  /** The schema of a value that is not null. */
  #value(schema: Schema): Schema {
    const { anyOf, ...whole } = { ...deref(this.#contract, schema), ...schema };
    const value = anyOf?.find(({ type }) => type !== 'null');
    return value ? this.#value(value) : whole;
  }
}
