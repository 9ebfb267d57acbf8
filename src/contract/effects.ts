import type { LocatedOperation, WriteEffect } from './contract.ts';

export type Effect = 'reads' | WriteEffect;

/** openapi/README.md explains the effects. */
export function effectOf({ item, operation, verb }: LocatedOperation): Effect {
  const facts = item['x-ability'];
  if (facts ? facts.readonly : verb === 'get') return 'reads';
  return facts?.destructive ? 'destroys' : (operation['x-effect'] ?? 'changes');
}
