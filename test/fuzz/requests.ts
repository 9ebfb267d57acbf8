import fc from 'fast-check';
import qs from 'qs';
import {
  baseOf,
  operationsOf,
  parametersOf,
  type Contract,
  type OperationPlace,
  type Parameter,
} from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated.ts';
import { hostile, HOSTILE_TEXTS, nearlyValid, valid, type Hints } from './schemas.ts';

export const CALLERS = ['admin', 'reader', 'nobody', 'stranger', 'garbled'] as const;
export type Caller = (typeof CALLERS)[number];

export interface FuzzRequest {
  operation: string;
  method: string;
  path: string;
  caller: Caller;
  contentType: string | null;
  body: string | null;
  headers: Record<string, string>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];
const JSON_TYPE = 'application/json';

/** Requests of every operation of both surfaces, by every verb that it has and now and then by one that it has not. */
export function anyRequest(hints: Hints): { request: fc.Arbitrary<FuzzRequest>; operations: string[] } {
  const known = (['abilities', 'v2'] as const).flatMap((surface) => {
    const contract = readContract(surface);
    return operationsOf(contract).map((place) => ({
      id: place.operation.operationId,
      request: requestOf(contract, place, hints),
    }));
  });
  return { request: fc.oneof(...known.map(({ request }) => request)), operations: known.map(({ id }) => id) };
}

function requestOf(contract: Contract, place: OperationPlace, hints: Hints): fc.Arbitrary<FuzzRequest> {
  const { path, verb, operation } = place;
  const parameters = parametersOf(contract, place);
  const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
  const body = schema === undefined ? fc.constant(undefined) : mostly(valid(contract, schema, hints), place);
  return fc
    .record({
      method: rarely(25, fc.constantFrom(...METHODS), verb.toUpperCase()),
      path: pathOf(contract, baseOf(contract) + path, parameters, hints),
      query: queryOf(contract, parameters, hints),
      headers: headersOf(parameters),
      caller: rarely<Caller, Caller>(12, fc.constantFrom(...CALLERS), 'admin'),
      contentType: rarely(
        30,
        fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'application/xml', 'x', ''),
        JSON_TYPE,
      ),
      body: body.map((value) => (value === undefined ? null : JSON.stringify(value))),
      raw: rarely(
        30,
        fc.constantFrom('', '{', '[', 'null', '"x"', '{"input":', '\0', '[[[[', '{"input":{"a":1,"a":2}}', 'ÿþ'),
        null,
      ),
    })
    .map(({ query, raw, ...request }) => {
      const text = raw ?? request.body;
      const sent = text !== null && request.method !== 'GET' && request.method !== 'HEAD' ? text : null;
      const type = sent === null ? null : request.contentType || null;
      return {
        ...request,
        operation: operation.operationId,
        path: request.path + query,
        body: sent,
        contentType: type,
      };
    });
}

/** `usual`, and once in so many times something else. */
function rarely<T, U>(oneIn: number, other: fc.Arbitrary<T>, usual: U): fc.Arbitrary<T | U> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight: oneIn }, { arbitrary: other, weight: 1 });
}

/**
 * Two valid ones, one that is nearly so; of an ability it is the input that is spoilt, or now and then the whole body.
 */
function mostly(body: fc.Arbitrary<unknown>, { item }: OperationPlace): fc.Arbitrary<unknown> {
  const spoilt = item['x-ability']
    ? nearlyValid(body.map((value) => (value as { input?: unknown }).input ?? {})).map((input) => ({ input }))
    : nearlyValid(body);
  return fc.oneof(
    { arbitrary: body, weight: 10 },
    { arbitrary: spoilt, weight: 6 },
    { arbitrary: nearlyValid(body), weight: 1 },
  );
}

/** Keys come again, so that some answers are repeated and some keys are refused; tags of records now and then fit. */
const HEADER_VALUES = fc.oneof(
  fc.integer({ min: 1, max: 60 }).map((number) => `key-${number}`),
  fc.constantFrom('*', '"4nT0gS6mQkq2m0qkF1bQ3w"', 'W/"x", *', ',', 'x'.repeat(300), 'a key'),
);

function headersOf(parameters: Parameter[]): fc.Arbitrary<Record<string, string>> {
  const named = parameters
    .filter((each) => each.in === 'header')
    .map(({ name }) => [name.toLowerCase(), HEADER_VALUES]);
  const some = fc.record(Object.fromEntries(named) as Record<string, typeof HEADER_VALUES>, { requiredKeys: [] });
  return rarely(6, some as fc.Arbitrary<Record<string, string>>, {});
}

function pathOf(contract: Contract, path: string, parameters: Parameter[], hints: Hints): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const { schema = {} } = parameters.find((each) => each.name === name && each.in === 'path') ?? { schema: {} };
    const good = valid(contract, schema, hints, `path:${name}` in hints ? `path:${name}` : name).map((value) =>
      encoded(String(value)),
    );
    const bad = fc.constantFrom(...HOSTILE_TEXTS.map(encoded), '%zz', '%00', '%', '..%2f..', '%c0%af');
    return fc.oneof({ arbitrary: good, weight: 4 }, { arbitrary: bad, weight: 1 });
  });
  return fc.tuple(...parts).map((all) => all.join('/'));
}

/** Half of a surrogate pair has no encoding. */
const paired = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** Node itself refuses a head over 16 kB before we see it. */
const encoded = (text: string): string => encodeURIComponent(paired(text.slice(0, 1_000)));

function queryOf(contract: Contract, parameters: Parameter[], hints: Hints): fc.Arbitrary<string> {
  const fields = parameters.filter((each) => each.in === 'query');
  if (fields.length === 0) return rarely(30, fc.constantFrom('?x=1', '?__proto__[a]=1', '?input[a]=1', '?'), '');
  const model = Object.fromEntries(fields.map(({ name, schema = {} }) => [name, valid(contract, schema, hints, name)]));
  const good = fc.record(model, { requiredKeys: [] });
  const spoilt = fc.oneof(
    nearlyValid(good),
    nearlyValid(good.map((value) => (value as { input?: unknown }).input ?? {})).map((input) => ({ input })),
  );
  const style = fc.constantFrom('brackets', 'indices', 'comma', 'repeat');
  const written = fc
    .tuple(fc.oneof({ arbitrary: good, weight: 3 }, { arbitrary: spoilt, weight: 2 }), style)
    .map(([value, arrayFormat]) => {
      const text =
        typeof value === 'object' && value !== null
          ? qs.stringify(wellFormed(value), { arrayFormat, encodeValuesOnly: true })
          : encoded(String(value));
      return text.length > 12_000 ? '' : `?${text}`;
    })
    .map((text) => text.replace(/[^!-~]/g, encoded));
  const asText = hostile.map((value) => `?input=${encoded(JSON.stringify(value) ?? '')}`.slice(0, 12_000));
  return fc.oneof({ arbitrary: written, weight: 12 }, { arbitrary: asText, weight: 1 });
}

const wellFormed = (value: object): object =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? paired(each) : each))) as object;

/** The request as a line for a terminal. */
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
