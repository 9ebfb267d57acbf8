import { deref, componentNameOf, type Contract, type Schema } from '../../contract/index.ts';
import type { FieldRow } from './table/row-types.ts';

type Fields = Record<string, unknown>;
/** Converts a value of a response. Returns the same object if nothing differs. */
export type Rewrite = (value: unknown) => unknown;

export interface ResponseRewriteOptions {
  fields: readonly FieldRow[];
  translateUrl: (text: string) => string;
}

const URL_FIELDS = new Set(['status_url', 'href', 'read', 'edit']);

export const toMainwpCode = (code: string): string => (code.startsWith('svc_') ? `mainwp_${code.slice(4)}` : code);
export const toMainwpName = (name: string): string => (name.startsWith('svc_') ? `mainwp_${name.slice(4)}` : name);

/**
 * Compiles a rewrite from the response schemas. Returns null if nothing differs, so that most responses cost nothing.
 * Unchanged values are not copied and never modified, because they can be cached.
 */
export function compileResponseRewrite(
  contract: Contract,
  schemas: readonly Schema[],
  words: ResponseRewriteOptions,
): Rewrite | null {
  const names = new Map(words.fields.map(({ ours, theirs }) => [ours, theirs]));
  const known = new Map<Schema, Rewrite | null>();
  const deep = deepUrlRewrite(words.translateUrl);

  const compile = (schema: Schema, name: string): Rewrite | null => {
    if (URL_FIELDS.has(name)) return (value) => (typeof value === 'string' ? words.translateUrl(value) : value);
    const target = deref(contract, schema);
    if (known.has(target)) return known.get(target) ?? null;
    known.set(target, null);
    const rewrite = compileKnown(target, schema);
    known.set(target, rewrite);
    return rewrite;
  };

  const compileKnown = (schema: Schema, from: Schema): Rewrite | null => {
    const { anyOf = [], oneOf = [], items, properties = {}, additionalProperties: more } = schema;
    const values = schema['enum'] ?? schema['x-extensible-enum'];
    if (Array.isArray(values))
      return values.some((value) => typeof value === 'string' && value.startsWith('svc_'))
        ? (value) => (typeof value === 'string' ? toMainwpCode(value) : value)
        : null;
    const variants = [...anyOf, ...oneOf].flatMap((each) => compile(each, '') ?? []);
    if (variants.length > 0) return (value) => variants.reduce((current, each) => each(current), value);
    if (items) return listRewrite(compile(items, ''));
    // A batch item's result has the schema of another route, so it is rewritten without a schema.
    if (componentNameOf(from) === 'BatchResult') return deep;
    const fields = new Map<string, Rewrite>();
    const renamed = new Map<string, string>();
    for (const [name, each] of Object.entries(properties)) {
      const rewrite = compile(each, name);
      if (rewrite) fields.set(name, rewrite);
      const theirs = names.get(name) ?? toMainwpName(name);
      if (theirs !== name) renamed.set(name, theirs);
    }
    const isKeyed = typeof more === 'object' && isStructured(deref(contract, more));
    // The schema does not contain the keys of a map, and some of them have another name in MainWP Dashboard.
    if (isKeyed) for (const [name, theirs] of names) renamed.set(name, theirs);
    const rest = typeof more === 'object' ? compile(more, '') : null;
    return fields.size > 0 || renamed.size > 0 ? objectRewrite(fields, renamed, rest) : null;
  };

  const all = schemas.flatMap((schema) => compile(schema, '') ?? []);
  return all.length === 0 ? null : (value) => all.reduce((current, each) => each(current), value);
}

/** True for schemas of objects and lists. The keys of a map of texts are not renamed, because people wrote them. */
const isStructured = ({ type, properties, items, anyOf, oneOf }: Schema): boolean =>
  type === 'object' || type === 'array' || [properties, items, anyOf, oneOf].some((each) => each !== undefined);

function listRewrite(each: Rewrite | null): Rewrite | null {
  if (!each) return null;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | null = null;
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      const rewritten = each(item);
      if (rewritten !== item) (copy ??= [...(value as unknown[])])[at] = rewritten;
    }
    return copy ?? (value as unknown[]);
  };
}

function objectRewrite(
  fields: ReadonlyMap<string, Rewrite>,
  renamed: ReadonlyMap<string, string>,
  rest: Rewrite | null,
): Rewrite {
  const rewritten = [...fields];
  const names = [...renamed.keys()];
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const of = value as Fields;
    if (rest || names.some((name) => of[name] !== undefined))
      return Object.fromEntries(
        Object.entries(of).map(([name, each]) => {
          const rewrite = fields.get(name) ?? rest;
          return [renamed.get(name) ?? name, rewrite ? rewrite(each) : each];
        }),
      );
    let copy: Fields | null = null;
    for (const [name, rewrite] of rewritten) {
      const before = of[name];
      if (before === undefined || before === null) continue;
      const after = rewrite(before);
      if (after !== before) (copy ??= { ...of })[name] = after;
    }
    return copy ?? value;
  };
}

function deepUrlRewrite(address: (text: string) => string): Rewrite {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each: unknown) => walk(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        if (typeof each !== 'string') return [name, walk(each)];
        return [name, name === 'code' ? toMainwpCode(each) : URL_FIELDS.has(name) ? address(each) : each];
      }),
    );
  };
  return walk;
}
