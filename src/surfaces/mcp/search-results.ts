import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Effect } from '../../contract/index.ts';
import type { OperationGroup } from './operation-catalog.ts';
import type { Operation } from './operation.ts';
import { ownResult } from './tool-results.ts';

const EFFECTS: Record<Effect, string> = {
  reads: 'reads',
  changes: 'changes',
  destroys: 'destructive, requires confirmation',
  'cuts-off': 'cuts off',
  installs: 'installs',
};

export function foundResult(matches: readonly Operation[], limit: number): CallToolResult {
  const shown = matches.slice(0, limit);
  const lines = shown.map(
    ({ id, effect, policy, title }) => `${id} (${EFFECTS[effect]}; ${policy.permission}): ${title}`,
  );
  const rest = matches.length - shown.length;
  const message = rest > 0 ? `… and ${rest} more, which match less well.` : null;
  return ownResult([...lines, ...(message === null ? [] : [message])].join('\n'), {
    operations: shown.map(({ id, title, group, effect, policy }) => ({
      operation: id,
      title,
      group,
      effect,
      permission: policy.permission,
    })),
    total: matches.length,
    ...(message !== null && { message }),
  });
}

export function nothingFitsResult(
  query: string,
  unknownWords: readonly string[],
  groups: readonly OperationGroup[],
): CallToolResult {
  const unknown = unknownWords.length > 0 ? ` No operation has the words: ${unknownWords.join(', ')}.` : '';
  return groupsResult(groups, `Nothing fits “${query}”.${unknown} Try other words, or one of these groups:`);
}

export function groupsResult(groups: readonly OperationGroup[], message: string): CallToolResult {
  const lines = groups.map(({ name, about, operations }) => `${name} (${operations}): ${about}`);
  return ownResult([message, ...lines].join('\n'), { operations: [], total: 0, groups, message });
}
