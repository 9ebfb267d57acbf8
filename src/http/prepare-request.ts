import type { Request } from 'express';
import { type FieldError, CodedInvalidError, MethodNotAllowedError, NotFoundError } from '../shared/errors.ts';
import {
  ABILITY_PATH,
  deref,
  inputOf,
  memoize,
  operationsOf,
  parametersOf,
  verbsOf,
  type Contract,
  type Schema,
} from '../contract/index.ts';
import { coerceQueryValue } from './query.ts';

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Brings a request into the form that the validator checks; `path` is the one inside the surface. */
export type PrepareRequest = (request: Request, path: string) => void;

function setQuery(request: Request, query: Fields): void {
  // Express computes `query` on each access; the validator must see, and fill, this one.
  Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
}

interface AbilityEntry {
  input: Schema;
  methods: Set<string>;
  allow: string;
  aliases: [alias: string, name: string][];
}

function abilityEntries(contract: Contract): Map<string, AbilityEntry> {
  const entries = new Map<string, AbilityEntry>();
  for (const [path, item] of Object.entries(contract.paths)) {
    const name = ABILITY_PATH.exec(path)?.[1];
    if (!name) continue;
    const verbs = verbsOf(item);
    const input = deref(contract, inputOf(contract, item));
    const methods = verbs.map((verb) => verb.toUpperCase());
    entries.set(name, {
      input,
      methods: new Set(methods),
      allow: methods.join(', '),
      aliases: Object.entries(input['x-aliases'] ?? {}),
    });
  }
  return entries;
}

/**
 * What every call of an ability needs before it is validated: the ability must exist and answer the method, no input is
 * an empty one, query texts become what the schema means, aliases take their real name.
 */
export const prepareAbility = memoize((contract: Contract): PrepareRequest => {
  const entries = abilityEntries(contract);
  return (request, path) => {
    setQuery(request, request.query);
    const name = ABILITY_PATH.exec(path)?.[1];
    if (!name) return;
    const entry = entries.get(name);
    if (!entry) throw new NotFoundError('rest_ability_not_found', 'No such ability.');
    if (!entry.methods.has(request.method))
      throw Object.assign(
        new MethodNotAllowedError('rest_ability_invalid_method', `This ability answers ${entry.allow}.`),
        { headers: { Allow: entry.allow } },
      );
    const input = request.method === 'POST' ? bodyInput(request) : queryInput(request, contract, entry.input);
    const clash = isFields(input) ? applyAliases(input, entry.aliases) : null;
    if (clash)
      throw new CodedInvalidError('ability_invalid_input', `${clash.path} ${clash.message}`, { errors: [clash] });
  };
});

function bodyInput(request: Request): unknown {
  const body: unknown = (request.body ??= {});
  if (!isFields(body)) return undefined;
  // PHP writes an empty object as `[]`.
  if (body['input'] == null || (Array.isArray(body['input']) && body['input'].length === 0)) body['input'] = {};
  return body['input'];
}

function queryInput(request: Request, contract: Contract, schema: Schema): unknown {
  const query: Fields = { ...request.query };
  const input = query['input'];
  if (input === undefined || input === '') query['input'] = {};
  else if (typeof input === 'string' && input.startsWith('{')) query['input'] = jsonOr(input);
  query['input'] = coerceQueryValue(contract, schema, query['input']);
  setQuery(request, query);
  return query['input'];
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the validator refuses it, naming the field
  }
}

function applyAliases(input: Fields, aliases: AbilityEntry['aliases']): FieldError | null {
  for (const [alias, name] of aliases) {
    if (!(alias in input)) continue;
    if (name in input) return { path: `input.${alias}`, message: `is another name of ${name}; send one of them` };
    input[name] = input[alias];
    delete input[alias];
  }
  return null;
}

/**
 * v2 queries: an empty value is an absent one, texts become what the schema of that name means over the
 * surface, and aliases take their real name.
 */
export const prepareRoute = memoize((contract: Contract): PrepareRequest => {
  const schemas = new Map<string, Schema>();
  const names = new Map<string, string>();
  /** What some operation takes as a list; another one may take it otherwise. */
  const lists = new Set<string>();
  for (const place of operationsOf(contract))
    for (const { in: where, name, schema, 'x-aliases': aliases = {} } of parametersOf(contract, place)) {
      if (where === 'query' && schema) {
        const known = deref(contract, schema);
        schemas.set(name, known);
        if (known.type === 'array') lists.add(name);
      }
      for (const alias of Object.keys(aliases)) names.set(alias, name);
    }
  return (request) => {
    const query: Fields = {};
    for (const [sent, value] of Object.entries(request.query)) {
      const name = names.get(sent) ?? sent;
      // Who sends both means the parameter by its own name.
      if (value === '' || (name !== sent && request.query[name])) continue;
      const schema = schemas.get(name);
      // The validator breaks on what a query such as `ids[a]=1` makes of a list.
      if (lists.has(name) && typeof value !== 'string' && !Array.isArray(value)) throw invalidShapeError(name, schema);
      query[name] = schema?.type === 'boolean' ? coerceQueryValue(contract, schema, value) : value;
    }
    setQuery(request, query);
  };
});

function invalidShapeError(name: string, schema: Schema | undefined): CodedInvalidError {
  const message = schema?.type === 'array' ? 'must be array' : 'must not have names in brackets';
  const field = { path: `query.${name}`, message };
  return new CodedInvalidError('rest_invalid_param', `${field.path} ${field.message}`, { errors: [field] });
}
