import { VERBS } from '../../../src/contract/index.ts';
import type { Node, Source } from './source.ts';

interface ShortOperation extends Node {
  'x-also': string[];
  operationId: string;
}

/** `x-also: [patch, post]` at an operation: these verbs do the same, under the ids `<id>__patch` and `<id>__post`. */
export function twinsOf(source: Source): Source {
  const { path } = source;
  const verb = VERBS.find((each) => (path?.[each] as Node | undefined)?.['x-also'] !== undefined);
  if (!path || !verb) return source;
  const { 'x-also': also, ...operation } = path[verb] as ShortOperation;
  const twins = also.map((each): [string, Node] => [
    each,
    { ...operation, operationId: `${operation.operationId}__${each}` },
  ]);
  return { ...source, path: { ...path, [verb]: operation, ...Object.fromEntries(twins) } };
}
