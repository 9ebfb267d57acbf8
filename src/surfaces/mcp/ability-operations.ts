import {
  abilityInputOf,
  basePathOf,
  dereferenceSchemas,
  descriptionWithoutErrors,
  effectOf,
  isAlternativeVerb,
  jsonMediaOf,
  operationsOf,
  type Contract,
} from '../../contract/index.ts';
import { operationPoliciesOf } from '../../http/operation-policy.ts';
import type { JsonSchema, Operation } from './operation.ts';

export function abilityOperations(contract: Contract): Operation[] {
  const inlined = dereferenceSchemas(contract);
  const policies = operationPoliciesOf(contract);
  const groups = new Map(contract.tags?.map(({ name, description = '' }) => [name, description]));
  return operationsOf(contract).flatMap((place): Operation[] => {
    const { id, path, item, operation } = place;
    const facts = item['x-ability'];
    const policy = policies.get(id);
    if (!facts || !policy || isAlternativeVerb(operation)) return [];
    const input = inlined(abilityInputOf(contract, item));
    return [
      {
        id,
        surface: 'abilities',
        title: operation.summary ?? id,
        description: descriptionWithoutErrors(operation),
        instructions: facts.instructions ?? '',
        group: operation.tags?.[0] ?? '',
        groupDescription: groups.get(operation.tags?.[0] ?? '') ?? '',
        address: `POST ${basePathOf(contract)}${path}`,
        isDeprecated: operation.deprecated === true,
        effect: effectOf(place),
        isIdempotent: facts.idempotent,
        hasDryRun: 'dry_run' in propertiesOf(input),
        policy,
        fileTypes: [],
        input: () => withoutConfirmField(input),
        output: () => inlined(jsonMediaOf(operation.responses['200'])?.schema ?? {}),
        callOf: (sent) => ({ method: 'POST', path, body: { input: structuredClone(sent) } }),
      },
    ];
  });
}

const propertiesOf = (schema: JsonSchema): JsonSchema => (schema['properties'] ?? {}) as JsonSchema;

/** Removes `confirm`: agents confirm with a token, and the service then sets this field. */
function withoutConfirmField(input: JsonSchema): JsonSchema {
  const { confirm: _, ...properties } = propertiesOf(input);
  return { ...input, type: 'object', properties };
}
