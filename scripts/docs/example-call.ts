/** Example call of an operation, from the examples of the contract. */
import qs from 'qs';
import { deref, isBinaryFile, parametersOf, type Parameter, type Schema } from '../../src/contract/index.ts';
import { isInExample, queryValueOf } from '../../src/contract-checks/index.ts';
import { addressOf, methodOf, type OperationEntry } from './entries.ts';

export interface DocsExampleCall {
  surface: OperationEntry['surface'];
  id: string;
  method: string;
  /** Encoded path without a query. */
  path: string;
  pathValues: Record<string, unknown>;
  queryValues: Record<string, unknown>;
  /** Query with unencoded brackets, which are easier to read. */
  query: string;
  body: unknown;
  /** Null if the call sends JSON. */
  form: DocsFormField[] | null;
  /** `form` with typed values. */
  formValues: unknown;
  /** False for a REST v2 route. */
  isAbility: boolean;
  input: unknown;
  /** True if the response is a file, not JSON. */
  returnsFile: boolean;
}

export interface DocsFormField {
  name: string;
  value: string;
  file: DocsFormFile | null;
}

export interface DocsFormFile {
  name: string;
  mediaType: string;
  /** True if the example of the contract is the name of the file. The example of a text file is its text. */
  isBinary: boolean;
}

type ParameterWithExample = Parameter & { example?: unknown };

/** Optional query parameters of the samples. Filters could make the result empty, so they are omitted. */
const OPTIONAL_QUERY_PARAMETERS = new Set(['per_page']);

export function docsExampleCall(entry: OperationEntry): DocsExampleCall {
  const { contract, place } = entry;
  const parameters = parametersOf(contract, place) as ParameterWithExample[];
  const valuesIn = (where: string, isIncluded: (parameter: ParameterWithExample) => boolean): Record<string, unknown> =>
    Object.fromEntries(
      parameters.filter((each) => each.in === where && isIncluded(each)).map(({ name, example }) => [name, example]),
    );
  const pathValues = valuesIn('path', () => true);
  const queryValues = valuesIn(
    'query',
    (parameter) => isInExample(parameter) || OPTIONAL_QUERY_PARAMETERS.has(parameter.name),
  );
  const inQuery = parameters.find(({ name }) => name === 'input');
  const input = inQuery && (inQuery.example ?? {});
  const [[type, media] = []] = Object.entries(place.operation.requestBody?.content ?? {});
  const body = media?.example;
  const isForm = type === 'multipart/form-data';
  const query: Record<string, unknown> = isFilled(input) ? { input } : {};
  for (const [name, value] of Object.entries(queryValues)) query[name] = queryValueOf(value);
  return {
    surface: entry.surface,
    id: entry.id,
    method: methodOf(entry),
    path: addressOf(entry).replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(pathValues[name]))),
    pathValues,
    queryValues,
    query: qs.stringify(query, { encodeValuesOnly: true, arrayFormat: 'brackets' }),
    body: isForm ? null : (body ?? null),
    formValues: isForm ? body : null,
    form: isForm ? formFields(deref(contract, media?.schema ?? {}), body as object) : null,
    isAbility: place.item['x-ability'] !== undefined,
    input: input ?? (body as { input?: unknown } | undefined)?.input,
    returnsFile: !Object.keys(deref(contract, place.operation.responses['200'] ?? {}).content ?? {}).includes(
      'application/json',
    ),
  };
}

const isFilled = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length > 0;

function formFields(schema: Schema, values: object): DocsExampleCall['form'] {
  return Object.entries(values as Record<string, unknown>).map(([name, value]) => {
    const { contentMediaType: mediaType, ...field } = schema.properties?.[name] ?? {};
    const isBinary = isBinaryFile(field);
    const fileName = isBinary ? String(value) : `${name.replace(/_file$/, '').replaceAll('_', '-')}.csv`;
    const file = typeof mediaType === 'string' ? { name: fileName, mediaType, isBinary } : null;
    return { name, value: String(value), file };
  });
}
