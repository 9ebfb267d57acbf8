import type { Tool } from '@modelcontextprotocol/server';
import {
  inputSchemaOf,
  type MayRun,
  QUERY_SCHEMA,
  READ_ONLY_HINTS,
  RUN_HINTS,
  TEXT_SCHEMA,
  TOKEN_SCHEMA,
} from './tool-definitions.ts';

/** Categories of abilities in release 0.1. The category `batch` is now the group `jobs`. */
const CATEGORIES = ['sites', 'clients', 'tags', 'updates', 'batch'] as const;

const deprecatedTool = (name: string, successor: string, more: Pick<Tool, 'inputSchema' | 'annotations'>): Tool => ({
  name,
  description: `Deprecated: use ${successor}.`,
  outputSchema: { type: 'object' },
  ...more,
});

const NAMED = { name: TEXT_SCHEMA };
const INPUT = { type: 'object' };

const FIND = deprecatedTool('find_abilities', 'find_operations', {
  inputSchema: inputSchemaOf({
    query: QUERY_SCHEMA,
    category: { ...TEXT_SCHEMA, enum: [...CATEGORIES] },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
  }),
  annotations: READ_ONLY_HINTS,
});
const DESCRIBE = deprecatedTool('describe_ability', 'describe_operation', {
  inputSchema: inputSchemaOf({ ...NAMED, output: { type: 'boolean' } }, ['name']),
  annotations: READ_ONLY_HINTS,
});
const READ = deprecatedTool('read_ability', 'read_operation', {
  inputSchema: inputSchemaOf({ ...NAMED, input: INPUT }, ['name']),
  annotations: READ_ONLY_HINTS,
});
const RUN = deprecatedTool('run_ability', 'run_operation', {
  inputSchema: inputSchemaOf({ ...NAMED, input: INPUT, confirmation_token: TOKEN_SCHEMA }, ['name']),
  annotations: RUN_HINTS,
});

/** Returns the tools of release 0.1, which had only abilities. These tools work until 2027-12-01. */
export const listDeprecatedTools = (mayRun: MayRun): Tool[] => [
  FIND,
  DESCRIBE,
  ...(mayRun(({ surface, effect }) => surface === 'abilities' && effect === 'reads') ? [READ] : []),
  ...(mayRun(({ surface, effect }) => surface === 'abilities' && effect !== 'reads') ? [RUN] : []),
];

export const groupOfCategory = (category: string): string => (category === 'batch' ? 'jobs' : category);
