import {
  deref,
  errorCodesOf,
  parametersOf,
  type ContractResponse,
  type LocatedOperation,
  type Parameter,
  type Schema,
} from '../../../src/contract/index.ts';
import type { Document } from '../document.ts';
import type { Surface } from '../../../src/contract/surfaces.ts';
import type { ModelCollector } from './models.ts';

/** Schemas of the input and the response of an operation. */
export interface SdkCall {
  /** The input of an ability; a call of a route has path, query and body. */
  input?: { schema: Schema; required: boolean };
  path: Schema | null;
  query: { schema: Schema; required: boolean } | null;
  body: { schema: Schema; required: boolean } | null;
  /** Null if the operation returns only files. */
  answer: Schema | null;
  /** Field with the items of a page, `''` for the response itself; null if there are no pages. */
  list: 'items' | 'data' | '' | null;
  /** True if the items are in an object, by name. */
  isMap: boolean;
  /** Formats of the returned files. Empty if no query parameter chooses one; null if no file is returned. */
  files: string[] | null;
  /** Media types of these files. */
  fileTypes: string[];
  codes: string[];
}

export function sdkCallOf(
  models: ModelCollector,
  surface: Surface,
  document: Document,
  place: LocatedOperation,
): SdkCall {
  const { operation, item } = place;
  const parameters = parametersOf(document, place);
  const [answer] = Object.entries(operation.responses).flatMap(([status, each]) =>
    status.startsWith('2') ? [deref(document, each)] : [],
  );
  const content = answer?.content ?? {};
  const types = Object.keys(content).filter((type) => type !== 'application/json');
  const json = content['application/json']?.schema;
  const files = types.length > 0 ? formatsOf(parameters, types) : null;
  const [body] = Object.values(operation.requestBody?.content ?? {});
  const common = {
    answer: json ? models.schemaOf(surface, json) : null,
    ...pagedBy(document, json, answer, item['x-ability'] !== undefined),
    files,
    fileTypes: types,
    codes: [...errorCodesOf(document, place).values()].flat(),
  };
  if (item['x-ability'])
    return { ...common, path: null, query: null, body: null, ...inputOf(models, surface, document, place) };
  return {
    ...common,
    path: pathOf(parameters),
    query: queryOf(models, surface, place, parameters, files),
    body: body
      ? { schema: models.schemaOf(surface, body.schema), required: operation.requestBody?.required === true }
      : null,
  };
}

function inputOf(
  models: ModelCollector,
  surface: Surface,
  document: Document,
  place: LocatedOperation,
): { input?: NonNullable<SdkCall['input']> } {
  const byQuery = parametersOf(document, place).find(({ name }) => name === 'input');
  const [body] = Object.values(place.operation.requestBody?.content ?? {});
  const { properties, required = [] } = deref(document, body?.schema ?? {});
  const { default: _, ...schema } = byQuery?.schema ?? properties?.['input'] ?? {};
  const isRequired = byQuery ? byQuery.required === true : required.includes('input');
  return { input: { schema: models.schemaOf(surface, schema), required: isRequired } };
}

/** Numbers and texts alike, because an ID that is a number fits a path as it is. */
function pathOf(parameters: Parameter[]): Schema | null {
  const own = parameters.filter((each) => each.in === 'path');
  if (own.length === 0) return null;
  const typeOf = ({ schema = {} }: Parameter): Schema =>
    schema['enum'] ? { type: 'string', enum: schema['enum'] } : { type: ['string', 'number'] };
  return {
    type: 'object',
    properties: Object.fromEntries(own.map((each) => [each.name, typeOf(each)])),
    required: own.map(({ name }) => name),
  };
}

/** Lists of IDs, names and addresses. An ID that is a number fits a query as it is. */
const REFERENCE_LISTS = new Set(['websites', 'groups', 'clients']);

function queryOf(
  models: ModelCollector,
  surface: Surface,
  { operation }: LocatedOperation,
  parameters: Parameter[],
  files: string[] | null,
): SdkCall['query'] {
  const own = parameters.filter((each) => each.in === 'query');
  if (own.length === 0) return null;
  const required = own.filter((each) => each.required).map(({ name }) => name);
  const fieldOf = (parameter: Parameter & { description?: string }): Schema => {
    const field = models.schemaOf(surface, parameter.schema ?? {});
    const { description = field['description'] } = parameter;
    const values = field['enum'] as unknown[] | undefined;
    const kept = parameter.name === 'format' ? values?.filter((value) => !files?.includes(String(value))) : undefined;
    if (REFERENCE_LISTS.has(parameter.name)) field['items'] = { type: ['string', 'number'] };
    return { ...field, ...(description !== undefined && { description }), ...(kept?.length && { enum: kept }) };
  };
  const schema = models.add(`${pascalCase(operation.operationId)}Query`, {
    type: 'object',
    properties: Object.fromEntries(own.map((each) => [each.name, fieldOf(each)])),
    required,
  });
  return { schema, required: required.length > 0 };
}

function pagedBy(
  document: Document,
  json: Schema | undefined,
  answer: ContractResponse | undefined,
  isAbility: boolean,
): Pick<SdkCall, 'list' | 'isMap'> {
  const { type, properties = {} } = deref(document, json ?? {});
  const isPaged = isAbility ? 'items' in properties && 'total' in properties : 'X-WP-Total' in (answer?.headers ?? {});
  if (!isPaged) return { list: null, isMap: false };
  if (type === 'array') return { list: '', isMap: false };
  const isArray = (name: string): boolean => deref(document, properties[name] ?? {}).type === 'array';
  if (isArray('data')) return { list: 'data', isMap: false };
  return isArray('items') ? { list: 'items', isMap: false } : { list: 'data', isMap: true };
}

/** The values of `format` for which an answer of such a type is documented. */
function formatsOf(parameters: Parameter[], types: string[]): string[] {
  const values = parameters.find(({ name }) => name === 'format')?.schema?.['enum'] as string[] | undefined;
  return (values ?? []).filter((value) => types.some((type) => type.endsWith(`/${value}`)));
}

export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
