import type { Request } from 'express';
import { type FieldError, CodedInvalidError, MethodNotAllowedError, NotFoundError } from '../shared/errors.ts';
import {
  ABILITY_PATH,
  deref,
  abilityInputOf,
  memoize,
  operationsOf,
  parametersOf,
  verbsOf,
  type Contract,
  type Schema,
} from '../contract/index.ts';
import { coerceQueryValue } from './query-coercion.ts';

type RequestFieldValues = Record<string, unknown>;
const isRequestFieldValues = (value: unknown): value is RequestFieldValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `path` is relative to the base of the surface. */
export type PrepareRequest = (request: Request, path: string) => void;

function setQuery(request: Request, query: RequestFieldValues): void {
  // Express computes `query` on each access, so the validator could not fill in defaults.
  Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
}

interface AbilityRequestRules {
  input: Schema;
  methods: Set<string>;
  allow: string;
  aliases: [alias: string, name: string][];
}

function abilityRequestRulesByName(contract: Contract): Map<string, AbilityRequestRules> {
  const entries = new Map<string, AbilityRequestRules>();
  for (const [path, item] of Object.entries(contract.paths)) {
    const name = ABILITY_PATH.exec(path)?.[1];
    if (!name) continue;
    const verbs = verbsOf(item);
    const input = deref(contract, abilityInputOf(contract, item));
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
 * Checks that the ability and the method exist, adds an empty input if none was sent, converts query texts by their
 * schema and replaces aliases by the real names. Throws `rest_ability_not_found`, `rest_ability_invalid_method` or
 * `ability_invalid_input`.
 */
export const prepareAbility = memoize((contract: Contract): PrepareRequest => {
  const entries = abilityRequestRulesByName(contract);
  return (request, path) => {
    const name = ABILITY_PATH.exec(path)?.[1];
    // For all other requests, `queryInput` sets the query.
    if (!name || request.method === 'POST') setQuery(request, request.query);
    if (!name) return;
    const entry = entries.get(name);
    if (!entry) throw new NotFoundError('rest_ability_not_found', 'There is no such ability.');
    if (!entry.methods.has(request.method))
      throw Object.assign(
        new MethodNotAllowedError('rest_ability_invalid_method', `This ability only supports ${entry.allow}.`),
        { headers: { Allow: entry.allow } },
      );
    const input = request.method === 'POST' ? bodyInput(request) : queryInput(request, contract, entry.input);
    const clash = isRequestFieldValues(input) ? applyAliases(input, entry.aliases) : null;
    if (clash)
      throw new CodedInvalidError('ability_invalid_input', `${clash.path} ${clash.message}`, { errors: [clash] });
  };
});

function bodyInput(request: Request): unknown {
  const body: unknown = (request.body ??= {});
  if (!isRequestFieldValues(body)) return undefined;
  // PHP encodes an empty object as `[]`.
  if (body['input'] == null || (Array.isArray(body['input']) && body['input'].length === 0)) body['input'] = {};
  return body['input'];
}

function queryInput(request: Request, contract: Contract, schema: Schema): unknown {
  const query: RequestFieldValues = { ...request.query };
  const input = query['input'];
  if (input === undefined || input === '') query['input'] = {};
  else if (typeof input === 'string' && input.startsWith('{')) query['input'] = parseJsonOrKeepText(input);
  query['input'] = coerceQueryValue(contract, schema, query['input']);
  setQuery(request, query);
  return query['input'];
}

function parseJsonOrKeepText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // The validator refuses the text and names the field.
  }
}

function applyAliases(input: RequestFieldValues, aliases: AbilityRequestRules['aliases']): FieldError | null {
  for (const [alias, name] of aliases) {
    if (!(alias in input)) continue;
    if (name in input) return { path: `input.${alias}`, message: `is another name of ${name}; send only one of them` };
    input[name] = input[alias];
    delete input[alias];
  }
  return null;
}

/**
 * Drops empty values of a v2 query, converts booleans and replaces aliases by the real names. Schemas are looked up by
 * parameter name over the whole surface.
 */
export const prepareRoute = memoize((contract: Contract): PrepareRequest => {
  const schemas = new Map<string, Schema>();
  const names = new Map<string, string>();
  /** Parameters that at least one operation takes as a list. Another operation may define the name differently. */
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
    const query: RequestFieldValues = {};
    for (const [sent, value] of Object.entries(request.query)) {
      const name = names.get(sent) ?? sent;
      // If the caller sends both names, the real name wins.
      // An empty value counts as absent, but an empty list must not turn into a deletion of all records.
      const isAbsent = value === '' && !(request.method === 'DELETE' && lists.has(name));
      if (isAbsent || (name !== sent && request.query[name])) continue;
      const schema = schemas.get(name);
      // The validator crashes on the object that a query such as `ids[a]=1` makes of a list.
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
