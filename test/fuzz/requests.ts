import fc from 'fast-check';
import qs from 'qs';
import {
  basePathOf,
  operationsOf,
  parametersOf,
  type Contract,
  type LocatedOperation,
  type Parameter,
} from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import {
  hostileValue,
  HOSTILE_TEXTS,
  mutatedValue,
  MUTATIONS,
  validValue,
  type Hints,
  type Mutation,
} from './schemas.ts';

export const CALLERS = ['admin', 'reader', 'nobody', 'stranger', 'garbled'] as const;
export type CallerKind = (typeof CALLERS)[number];

export interface FuzzRequest {
  operation: string;
  method: string;
  path: string;
  caller: CallerKind;
  contentType: string | null;
  body: string | null;
  headers: Record<string, string>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const JSON_TYPE = 'application/json';

/** Fault of a request. A plain one has none. */
type Kind = 'plain' | 'method' | 'caller' | 'type' | 'raw' | 'path' | 'query' | 'query text' | 'headers' | Mutation;

export interface OperationRequests {
  id: string;
  /** Requests of any kind. */
  any: fc.Arbitrary<FuzzRequest>;
  plain: fc.Arbitrary<FuzzRequest>;
  /** One request of each kind that the operation can have, including a plain one. */
  ofEachKind: fc.Arbitrary<FuzzRequest>[];
}

/** Returns requests of every operation of both surfaces, with all its verbs and sometimes a wrong one. */
export function allRequests(hints: Hints): OperationRequests[] {
  return (['abilities', 'v2'] as const).flatMap((surface) => {
    const contract = readContract(surface);
    return operationsOf(contract).map((place) => requestsOf(contract, place, hints));
  });
}

function requestsOf(contract: Contract, place: LocatedOperation, hints: Hints): OperationRequests {
  const { path, verb, operation } = place;
  const parameters = parametersOf(contract, place);
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  const body = schema && bodyOf(validValue(contract, schema, hints), place);
  const paths = pathsOf(contract, basePathOf(contract) + path, parameters, hints);
  const query = queryOf(contract, parameters, hints);
  const headers = headersOf(parameters);
  const request = (kind?: Kind): fc.Arbitrary<FuzzRequest> => {
    /** Returns `other` if the request has this kind, or once in `oneIn` times if it has none, otherwise `usual`. */
    const part = <T, U>(its: Kind, oneIn: number, other: fc.Arbitrary<T>, usual: U): fc.Arbitrary<T | U> =>
      kind === undefined ? rarely(oneIn, other, usual) : kind === its ? other : fc.constant(usual);
    return fc
      .record({
        method: part('method', 25, fc.constantFrom(...METHODS), verb.toUpperCase()),
        path: paths(kind),
        query: query(kind),
        headers: part('headers', 6, headers ?? fc.constant({}), {}),
        caller: part<CallerKind, CallerKind>('caller', 12, fc.constantFrom(...CALLERS), 'admin'),
        contentType: part(
          'type',
          30,
          fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/xml', 'x', ''),
          JSON_TYPE,
        ),
        body: body ? body(kind).map((value) => JSON.stringify(value)) : fc.constant(null),
        raw: part(
          'raw',
          30,
          fc.constantFrom('', '{', '[', 'null', '"x"', '{"input":', '\0', '[[[[', '{"input":{"a":1,"a":2}}', 'ÿþ'),
          null,
        ),
      })
      .map((parts) => written(operation.operationId, parts));
  };
  const kinds: Kind[] = [
    ...(['method', 'caller', 'query'] as const),
    ...(path.includes('{') ? (['path'] as const) : []),
    ...(parameters.some((each) => each.in === 'query') ? (['query text'] as const) : []),
    ...(headers ? (['headers'] as const) : []),
    ...(body ? (['type', 'raw', ...MUTATIONS] as const) : []),
  ];
  // A single run would prefer the smallest and first values.
  const one = (kind: Kind): fc.Arbitrary<FuzzRequest> => fc.noBias(request(kind));
  const plain = one('plain');
  return { id: operation.operationId, any: request(), plain, ofEachKind: [plain, ...kinds.map(one)] };
}

type Parts = Omit<FuzzRequest, 'operation'> & { query: string; raw: string | null };

function written(operation: string, { query, raw, ...request }: Parts): FuzzRequest {
  const text = raw ?? request.body;
  const body = text !== null && request.method !== 'GET' && request.method !== 'HEAD' ? text : null;
  const contentType = body === null ? null : request.contentType || null;
  return { ...request, operation, path: request.path + query, body, contentType };
}

/** Returns `usual` and, once in `oneIn` times, `other`. */
function rarely<T, U>(oneIn: number, other: fc.Arbitrary<T>, usual: U): fc.Arbitrary<T | U> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: oneIn }, { arbitrary: other, weight: 1 });
}

/** Two of three bodies are valid. For an ability, mostly the input is mutated, and sometimes the whole body. */
function bodyOf(body: fc.Arbitrary<unknown>, { item }: LocatedOperation): (kind?: Kind) => fc.Arbitrary<unknown> {
  const spoiltBy = (how?: Mutation): fc.Arbitrary<unknown> =>
    item['x-ability']
      ? mutatedValue(
          body.map((value) => (value as { input?: unknown }).input ?? {}),
          how,
        ).map((input) => ({ input }))
      : mutatedValue(body, how);
  return (kind) => {
    if (kind !== undefined) return isMutation(kind) ? spoiltBy(kind) : body;
    return fc.oneof(
      { arbitrary: body, weight: 10 },
      { arbitrary: spoiltBy(), weight: 6 },
      { arbitrary: mutatedValue(body), weight: 1 },
    );
  };
}

const isMutation = (kind: Kind): kind is Mutation => (MUTATIONS as readonly Kind[]).includes(kind);

/** Keys are reused, so that some responses are replayed and some keys are rejected. ETags match sometimes. */
const HEADER_VALUES = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((number) => `key-${number}`),
  fc.constantFrom('*', '"4nT0gS6mQkq2m0qkF1bQ3w"', 'W/"x", *', ',', 'x'.repeat(300), 'a key'),
);

function headersOf(parameters: Parameter[]): fc.Arbitrary<Record<string, string>> | null {
  const named = parameters
    .filter((each) => each.in === 'header')
    .map(({ name }) => [name.toLowerCase(), HEADER_VALUES]);
  if (named.length === 0) return null;
  const some = fc.record(Object.fromEntries(named) as Record<string, typeof HEADER_VALUES>, { requiredKeys: [] });
  return some as fc.Arbitrary<Record<string, string>>;
}

function pathsOf(
  contract: Contract,
  path: string,
  parameters: Parameter[],
  hints: Hints,
): (kind?: Kind) => fc.Arbitrary<string> {
  const bad = fc.constantFrom(...HOSTILE_TEXTS.map(encoded), '%zz', '%00', '%', '..%2f..', '%c0%af');
  const parts = path.split('/').map((part) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return () => fc.constant(part);
    const { schema = {} } = parameters.find((each) => each.name === name && each.in === 'path') ?? { schema: {} };
    const good = validValue(contract, schema, hints, `path:${name}` in hints ? `path:${name}` : name).map((value) =>
      encoded(String(value)),
    );
    return (kind?: Kind) => {
      if (kind !== undefined) return kind === 'path' ? bad : good;
      return fc.oneof({ arbitrary: good, weight: 4 }, { arbitrary: bad, weight: 1 });
    };
  });
  return (kind) => fc.tuple(...parts.map((part) => part(kind))).map((all) => all.join('/'));
}

/** A lone surrogate cannot be encoded. */
const paired = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** Node.js itself rejects headers above 16 kB. */
const encoded = (text: string): string => encodeURIComponent(paired(text.slice(0, 1_000)));

function queryOf(contract: Contract, parameters: Parameter[], hints: Hints): (kind?: Kind) => fc.Arbitrary<string> {
  const fields = parameters.filter((each) => each.in === 'query');
  if (fields.length === 0) {
    const unknown = fc.constantFrom('?x=1', '?__proto__[a]=1', '?input[a]=1', '?');
    return (kind) => (kind === undefined ? rarely(30, unknown, '') : kind === 'query' ? unknown : fc.constant(''));
  }
  const model = Object.fromEntries(
    fields.map(({ name, schema = {} }) => [name, validValue(contract, schema, hints, name)]),
  );
  const good = fc.record(model, { requiredKeys: [] });
  const spoilt = fc.oneof(
    mutatedValue(good),
    mutatedValue(good.map((value) => (value as { input?: unknown }).input ?? {})).map((input) => ({ input })),
  );
  const asText = hostileValue.map((value) => `?input=${encoded(JSON.stringify(value) ?? '')}`.slice(0, 12_000));
  return (kind) => {
    if (kind === 'query text') return asText;
    if (kind !== undefined) return asQuery(kind === 'query' ? spoilt : good);
    const either = fc.oneof({ arbitrary: good, weight: 3 }, { arbitrary: spoilt, weight: 2 });
    return fc.oneof({ arbitrary: asQuery(either), weight: 12 }, { arbitrary: asText, weight: 1 });
  };
}

const asQuery = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(values, fc.constantFrom('brackets', 'indices', 'comma', 'repeat'))
    .map(([value, arrayFormat]) => {
      const text =
        typeof value === 'object' && value !== null
          ? qs.stringify(wellFormed(value), { arrayFormat, encodeValuesOnly: true })
          : encoded(String(value));
      return text.length > 12_000 ? '' : `?${text}`;
    })
    .map((text) => text.replace(/[^!-~]/g, encoded));

const wellFormed = (value: object): object =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? paired(each) : each))) as object;

/** Returns the request as a curl command. */
export function curlOf({ method, path, caller, contentType, body, headers }: FuzzRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `curl -sg -X ${method}`,
    caller === 'nobody' ? '' : caller === 'admin' ? '-u "$USER_AND_PASSWORD"' : `-H 'Authorization: <${caller}>'`,
    contentType === null ? '' : `-H ${quoted(`Content-Type: ${contentType}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    body === null ? '' : `--data-raw ${quoted(body)}`,
    quoted(`http://127.0.0.1:8080${path}`),
  ]
    .filter(Boolean)
    .join(' ');
}
