import { VERBS } from '../../../src/contract/index.ts';
import type { Node, Source } from './source.ts';

interface ShortOperation extends Node {
  'x-also': string[];
  operationId: string;
}

/** `x-also: [patch, post]` at an operation: these verbs do the same, under the ids `<id>__patch` and `<id>__post`. */
export const twinsOf = (source: Source): Source =>
  Object.fromEntries(Object.entries(source).map(([key, node]) => [key, withTwins(node)]));

function withTwins(path: Node): Node {
  const verb = VERBS.find((each) => (path[each] as Node | undefined)?.['x-also'] !== undefined);
  if (!verb) return path;
  const { 'x-also': also, ...operation } = path[verb] as ShortOperation;
  const twins = also.map((each): [string, Node] => [
    each,
    { ...operation, operationId: `${operation.operationId}__${each}` },
  ]);
  return { ...path, [verb]: operation, ...Object.fromEntries(twins) };
}
