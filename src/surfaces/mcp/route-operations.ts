import {
  basePathOf,
  deref,
  dereferenceSchemas,
  descriptionWithoutErrors,
  effectOf,
  isAlternativeVerb,
  jsonMediaOf,
  operationsOf,
  parametersOf,
  type Contract,
  type LocatedOperation,
  type Media,
  type Schema,
} from '../../contract/index.ts';
import { operationPoliciesOf } from '../../http/operation-policy.ts';
import type { InnerCall } from '../../http/operation-types.ts';
import type { JsonSchema, Operation } from './operation.ts';
import { routeCallOf, type RouteForm } from './route-calls.ts';

const JSON_TYPE = 'application/json';

export function routeOperations(contract: Contract): Operation[] {
  const inlined = dereferenceSchemas(contract);
  const policies = operationPoliciesOf(contract);
  const groups = new Map(contract.tags?.map(({ name, description = '' }) => [name, description]));
  return operationsOf(contract).flatMap((place): Operation[] => {
    const { id, path, verb, operation } = place;
    const policy = policies.get(operation.operationId);
    if (!policy || isAlternativeVerb(operation)) return [];
    const method = verb.toUpperCase() as InnerCall['method'];
    const body = bodyOf(place);
    const form: RouteForm = { method, path, bodyType: body?.type ?? null };
    const media = deref(contract, operation.responses['200'] ?? {}).content ?? {};
    return [
      {
        id,
        surface: 'v2',
        title: operation.summary ?? id,
        description: descriptionWithoutErrors(operation),
        instructions: '',
        group: operation.tags?.[0] ?? '',
        groupDescription: groups.get(operation.tags?.[0] ?? '') ?? '',
        address: `${method} ${basePathOf(contract)}${path}`,
        isDeprecated: operation.deprecated === true,
        effect: effectOf(place),
        isIdempotent: policy.idempotency.isRepeatable,
        hasDryRun: false,
        policy,
        fileTypes: Object.keys(media).filter((type) => type !== JSON_TYPE),
        input: () => inputSchemaOf(contract, place, inlined),
        output: () => inlined(successMediaOf(contract, place)?.schema ?? {}),
        callOf: (input) => routeCallOf(form, input),
      },
    ];
  });
}

function bodyOf({ operation: { requestBody } }: LocatedOperation) {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (!first) return null;
  const [type, { schema }] = first;
  return { type, schema, required: requestBody?.required === true };
}

function successMediaOf(contract: Contract, { operation }: LocatedOperation): Media | undefined {
  const [, success = {}] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  return jsonMediaOf(deref(contract, success));
}

interface InputPart {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

function inputSchemaOf(
  contract: Contract,
  place: LocatedOperation,
  inlined: (schema: Schema) => JsonSchema,
): JsonSchema {
  const parameters = parametersOf(contract, place);
  const parts: InputPart[] = (['path', 'query'] as const).flatMap((where) => {
    const own = parameters.filter((each) => each.in === where);
    if (own.length === 0) return [];
    const fields = own.map(({ name, schema = {}, description }): [string, JsonSchema] => [
      name,
      { ...inlined(schema), ...(description !== undefined && { description }) },
    ]);
    const required = own.filter((each) => where === 'path' || each.required === true).map(({ name }) => name);
    return [
      {
        name: where,
        schema: objectSchema(Object.fromEntries(fields), required),
        required: required.length > 0,
      },
    ];
  });
  const body = bodyOf(place);
  if (body) parts.push({ name: 'body', schema: inlined(body.schema), required: body.required });
  return objectSchema(
    Object.fromEntries(parts.map(({ name, schema }) => [name, schema])),
    parts.filter(({ required }) => required).map(({ name }) => name),
  );
}

const objectSchema = (properties: JsonSchema, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
