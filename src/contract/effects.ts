import type { LocatedOperation, WriteEffect } from './contract.ts';

export type Effect = 'reads' | WriteEffect;

/** Returns the effect of an operation; openapi/README.md explains each. A destructive ability destroys. */
export function effectOf({ item, operation, verb }: LocatedOperation): Effect {
  const facts = item['x-ability'];
  if (facts ? facts.readonly : verb === 'get') return 'reads';
  return facts?.destructive ? 'destroys' : (operation['x-effect'] ?? 'changes');
}
