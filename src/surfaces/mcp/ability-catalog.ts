import {
  ABILITY_PATH,
  dereferenceSchemas,
  inputOf,
  jsonOf,
  memoize,
  descriptionWithoutErrors,
  type AbilityAnnotations,
  type Contract,
} from '../../contract/index.ts';
import { operationPoliciesOf, type OperationPolicy } from '../../http/operation-policy.ts';
import type { Caller } from '../../shared/caller.ts';
import { hasPermission, type ModuleSwitch } from '../../http/ports.ts';

export type JsonSchema = Record<string, unknown>;

/** An ability as agents are told of it; all of it is read off the contract. */
export interface Ability extends AbilityAnnotations {
  name: string;
  title: string;
  description: string;
  input: JsonSchema;
  output: JsonSchema;
  policy: OperationPolicy;
  /** What it would do can be asked for without doing it. */
  hasDryRun: boolean;
}

/** By name. */
export type AbilityCatalog = ReadonlyMap<string, Ability>;

export const abilityCatalogOf = memoize((contract: Contract): AbilityCatalog => {
  const inlined = dereferenceSchemas(contract);
  const abilities = Object.entries(contract.paths).flatMap(([path, item]): [string, Ability][] => {
    const name = ABILITY_PATH.exec(path)?.[1];
    const facts = item['x-ability'];
    const policy = operationPoliciesOf(contract).get(name ?? '');
    if (name === undefined || !facts || !policy) return [];
    const input = inlined(inputOf(contract, item));
    const previews = 'dry_run' in propertiesOf(input);
    const output = inlined(jsonOf(item.post?.responses['200'])?.schema ?? {});
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

/** Agents confirm with a token, which says what they saw; `confirm` is said for them. */
function withoutConfirmField(input: JsonSchema): JsonSchema {
  const { confirm: _, ...properties } = propertiesOf(input);
  return { ...input, type: 'object', properties };
}

/** Both names of an ability are known: `list-sites-v1` and `svc/list-sites-v1`. */
export const findAbility = (catalog: AbilityCatalog, name: string): Ability | undefined =>
  catalog.get(name.replace(/^svc\//, ''));

/** What a caller may run now: by role and scope, and without the modules that are off. */
export async function allowedAbilities(
  caller: Caller,
  catalog: AbilityCatalog,
  modules: ModuleSwitch,
): Promise<Ability[]> {
  const permitted = [...catalog.values()].filter(({ policy }) => hasPermission(caller, policy.permission));
  const slugs = new Set(permitted.flatMap(({ policy }) => policy.module ?? []));
  const off = new Set<string>();
  for (const slug of slugs) if (!(await modules.isActive(slug))) off.add(slug);
  return permitted.filter(({ policy }) => policy.module === null || !off.has(policy.module));
}
