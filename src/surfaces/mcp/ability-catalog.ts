import {
  ABILITY_PATH,
  dereferenceSchemas,
  abilityInputOf,
  jsonMediaOf,
  memoize,
  descriptionWithoutErrors,
  type AbilityAnnotations,
  type Contract,
} from '../../contract/index.ts';
import { operationPoliciesOf, type OperationPolicy } from '../../http/operation-policy.ts';
import type { Caller } from '../../shared/caller.ts';
import { hasPermission, type ModuleStatus } from '../../http/ports.ts';

export type JsonSchema = Record<string, unknown>;

export interface Ability extends AbilityAnnotations {
  name: string;
  title: string;
  description: string;
  input: JsonSchema;
  output: JsonSchema;
  policy: OperationPolicy;
  hasDryRun: boolean;
}

export type AbilityCatalog = ReadonlyMap<string, Ability>;

export const abilityCatalogOf = memoize((contract: Contract): AbilityCatalog => {
  const inlined = dereferenceSchemas(contract);
  const abilities = Object.entries(contract.paths).flatMap(([path, item]): [string, Ability][] => {
    const name = ABILITY_PATH.exec(path)?.[1];
    const facts = item['x-ability'];
    const policy = operationPoliciesOf(contract).get(name ?? '');
    if (name === undefined || !facts || !policy) return [];
    const input = inlined(abilityInputOf(contract, item));
    const previews = 'dry_run' in propertiesOf(input);
    const output = inlined(jsonMediaOf(item.post?.responses['200'])?.schema ?? {});
    const { summary: title = name, ...operation } = item.post ?? item.get ?? {};
    const description = descriptionWithoutErrors(operation);
    return [
      [
        name,
        { ...facts, name, title, description, input: withoutConfirmField(input), output, policy, hasDryRun: previews },
      ],
    ];
  });
  return new Map(abilities);
});

const propertiesOf = (schema: JsonSchema): JsonSchema => (schema['properties'] ?? {}) as JsonSchema;

/** Agents confirm with a token, so the service sets `confirm` for them. */
function withoutConfirmField(input: JsonSchema): JsonSchema {
  const { confirm: _, ...properties } = propertiesOf(input);
  return { ...input, type: 'object', properties };
}

/** Finds an ability by its name. Accepts `list-sites-v1` and `svc/list-sites-v1`. */
export const findAbility = (catalog: AbilityCatalog, name: string): Ability | undefined =>
  catalog.get(name.replace(/^svc\//, ''));

/**
 * Returns the abilities that the caller may use. Considers the caller's role and scope, and omits modules that are off.
 */
export async function allowedAbilities(
  caller: Caller,
  catalog: AbilityCatalog,
  modules: ModuleStatus,
): Promise<Ability[]> {
  const permitted = [...catalog.values()].filter(({ policy }) => hasPermission(caller, policy.permission));
  const slugs = new Set(permitted.flatMap(({ policy }) => policy.module ?? []));
  const off = new Set<string>();
  for (const slug of slugs) if (!(await modules.isActive(slug))) off.add(slug);
  return permitted.filter(({ policy }) => policy.module === null || !off.has(policy.module));
}
