import qs from 'qs';
import {
  basePathOf,
  deref,
  parametersOf,
  type Contract,
  type LocatedOperation,
  type Parameter,
  type Schema,
} from '../contract/index.ts';

export interface ExampleRequest {
  method: string;
  path: string;
  contentType: string | null;
  body: string | null;
}

interface Example {
  example?: unknown;
}

type Replacements = Readonly<Record<string, unknown>>;

export interface ExampleCall {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

export function exampleCall(contract: Contract, place: LocatedOperation, replacements: Replacements = {}): ExampleCall {
  const parameters = parametersOf(contract, place);
  const exampleOf = (name: string): unknown =>
    replacements[name] ?? (parameters.find((each) => each.name === name) as Example | undefined)?.example;
  const path = parameters.filter((each) => each.in === 'path').map(({ name }) => [name, String(exampleOf(name))]);
  const asInput = parameters.find((each) => each.name === 'input')?.schema;
  const input = asInput && withReplacements(contract, asInput, exampleOf('input'), replacements);
  const needed = parameters.filter(isInExample);
  const [media] = Object.values(place.operation.requestBody?.content ?? {});
  return {
    path: Object.fromEntries(path) as Record<string, string>,
    query: {
      ...Object.fromEntries(needed.map(({ name }) => [name, queryValueOf(exampleOf(name))])),
      ...(input ? { input } : {}),
    },
    body: media && withReplacements(contract, media.schema, media.example, replacements),
  };
}

/** True for a required query parameter, and for one of several optional ones if a call needs at least one. */
export const isInExample = (parameter: Parameter): boolean =>
  parameter.in === 'query' && (parameter.required === true || parameter['x-in-example'] === true);

export const queryValueOf = (value: unknown): unknown => (Array.isArray(value) ? value.join(',') : value);

export async function exampleRequest(
  contract: Contract,
  place: LocatedOperation,
  replacements: Replacements = {},
): Promise<ExampleRequest> {
  const { verb, operation } = place;
  const { path, query: values, body: example } = exampleCall(contract, place, replacements);
  const address = place.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const query = qs.stringify(values, { encodeValuesOnly: true, addQueryPrefix: true });
  const request = { method: verb.toUpperCase(), path: basePathOf(contract) + address + query };
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  if (type === undefined) return { ...request, contentType: null, body: null };
  const { schema } = media as { schema: Schema };
  if (type === 'application/json') return { ...request, contentType: type, body: JSON.stringify(example) };
  const form = new FormData();
  const { properties = {} } = deref(contract, schema);
  for (const [name, value] of Object.entries(example as object)) {
    const { contentMediaType: mediaType } = deref(contract, properties[name] ?? {});
    if (typeof mediaType !== 'string') form.set(name, String(value));
    else form.set(name, new File([String(value)], 'example', { type: mediaType }));
  }
  const encoded = new Response(form);
  return { ...request, contentType: encoded.headers.get('content-type'), body: await encoded.text() };
}

export function namesIn(contract: Contract, place: LocatedOperation): Set<string> {
  const needed = parametersOf(contract, place).filter((each) => each.in === 'path' || isInExample(each));
  const query = needed.find(({ name }) => name === 'input') as Example | undefined;
  const [media] = Object.values(place.operation.requestBody?.content ?? {});
  const body = (media?.example ?? {}) as { input?: object };
  return new Set([
    ...needed.map(({ name }) => name),
    ...Object.keys(query?.example ?? {}),
    ...Object.keys(body),
    ...Object.keys(body.input ?? {}),
  ]);
}

function withReplacements(contract: Contract, of: Schema, example: unknown, replacements: Replacements): unknown {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
  const { properties = {} } = deref(contract, of);
  const stands = Object.entries(replacements).filter(([name]) => name in properties);
  const { input } = example as { input?: unknown };
  const inner = properties['input'];
  return {
    ...example,
    ...Object.fromEntries(stands),
    ...(inner && { input: withReplacements(contract, inner, input ?? {}, replacements) }),
  };
}
