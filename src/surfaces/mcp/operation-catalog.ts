import { memoize, type Contract, type Surface } from '../../contract/index.ts';
import type { ModuleStatus } from '../../http/ports.ts';
import type { Caller } from '../../shared/caller.ts';
import { isLimited } from '../../shared/site-scope.ts';
import { abilityOperations } from './ability-operations.ts';
import type { Operation } from './operation.ts';
import { routeOperations } from './route-operations.ts';

export type Contracts = Readonly<Record<Surface, Contract>>;

/** Operations by ID. Abilities come first, so that they win over routes that match a search equally well. */
export type OperationCatalog = ReadonlyMap<string, Operation>;

const abilitiesOf = memoize(abilityOperations);
const routesOf = memoize(routeOperations);

export const operationCatalogOf = ({ abilities, v2 }: Contracts): OperationCatalog =>
  new Map([...abilitiesOf(abilities), ...routesOf(v2)].map((operation) => [operation.id, operation]));

export const findOperation = (catalog: OperationCatalog, id: string): Operation | undefined =>
  catalog.get(id.replace(/^svc\//, ''));

/** Deprecated operations and reports that never have data can be called, but the search does not find them. */
export const isFindable = ({ isDeprecated, title }: Operation): boolean =>
  !isDeprecated && !title.endsWith('(always empty)');

/** Says whether the caller may run the operation when its module is active. */
export const isPermitted = (caller: Caller, { policy }: Operation): boolean =>
  caller.permissions.has(policy.permission) && (policy.appliesSiteLimit || !isLimited(caller.sites));

export async function allowedOperations(
  caller: Caller,
  catalog: OperationCatalog,
  modules: ModuleStatus,
): Promise<Operation[]> {
  const permitted = [...catalog.values()].filter((operation) => isPermitted(caller, operation));
  const slugs = new Set(permitted.flatMap(({ policy }) => policy.module ?? []));
  const off = new Set<string>();
  for (const slug of slugs) if (!(await modules.isActive(slug))) off.add(slug);
  return permitted.filter(({ policy }) => policy.module === null || !off.has(policy.module));
}

export interface OperationGroup {
  name: string;
  about: string;
  operations: number;
}

/** Returns the groups in the order of the contracts. If both contracts have a group, the description of v2 is used. */
export function groupsOf(operations: readonly Operation[]): OperationGroup[] {
  const groups = new Map<string, OperationGroup>();
  for (const { group: name, groupDescription: about } of operations)
    groups.set(name, { name, about, operations: (groups.get(name)?.operations ?? 0) + 1 });
  return [...groups.values()];
}
