import type { Contract } from './contract.ts';

/**
 * Returns a contract in which `x-extensible-enum` allows only the known values. The service sends no others, but
 * clients must accept values that they do not know.
 */
export const withClosedEnums = <T extends Contract>(contract: T): T => closeEnums(contract) as T;

function closeEnums(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeEnums);
  if (typeof node !== 'object' || node === null) return node;
  const { 'x-extensible-enum': known, ...rest } = node as Record<string, unknown>;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, closeEnums(value)]));
  return Array.isArray(known) ? { ...inner, enum: known } : inner;
}
