import type { Tool } from '@modelcontextprotocol/server';
import type { Caller } from '../../shared/caller.ts';
import { hasPermission } from '../../http/ports.ts';
import type { Ability, JsonSchema } from './ability-catalog.ts';

type Properties = Record<string, JsonSchema>;

const inputSchemaOf = (properties: Properties, required: string[] = []): Tool['inputSchema'] => ({
  type: 'object',
  properties: properties as Record<string, Record<string, never>>,
  required,
  additionalProperties: false,
});

const TEXT_SCHEMA = { type: 'string' };
const NAME_SCHEMA = { ...TEXT_SCHEMA, description: 'Ability name, e.g. list-sites-v1.' };
const INPUT_SCHEMA = { type: 'object', description: 'Input of the ability. describe_ability returns its schema.' };
const TOKEN_SCHEMA = {
  ...TEXT_SCHEMA,
  description: 'Token from the preview of the same call. Confirms a call that cannot be undone.',
};

const READ_ONLY_HINTS = { readOnlyHint: true, openWorldHint: false };

const findAbilitiesTool = (categories: readonly string[]): Tool => ({
  name: 'find_abilities',
  title: 'Find abilities',
  description: 'Lists the abilities that match a query, best matches first. Without a query, lists all.',
  inputSchema: inputSchemaOf({
    query: { ...TEXT_SCHEMA, description: 'Search words, e.g. plugin updates' },
    category: { ...TEXT_SCHEMA, enum: [...categories] },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
  }),
  annotations: READ_ONLY_HINTS,
});

const DESCRIBE_TOOL: Tool = {
  name: 'describe_ability',
  title: 'Describe an ability',
  description: 'Returns the description and input schema of an ability. Call it before the first run.',
  inputSchema: inputSchemaOf(
    { name: NAME_SCHEMA, output: { type: 'boolean', description: 'Includes the output schema.' } },
    ['name'],
  ),
  annotations: READ_ONLY_HINTS,
};

const READ_TOOL: Tool = {
  name: 'read_ability',
  title: 'Read from the fleet',
  description: 'Runs an ability that only reads stored data of sites, clients, tags, updates or jobs.',
  inputSchema: inputSchemaOf({ name: NAME_SCHEMA, input: INPUT_SCHEMA }, ['name']),
  annotations: READ_ONLY_HINTS,
};

const RUN_TOOL: Tool = {
  name: 'run_ability',
  title: 'Run an ability',
  description:
    'Runs any ability. The first call of a destructive ability changes nothing: it returns a preview and a token. ' +
    'Repeat the call with the token to execute it.',
  inputSchema: inputSchemaOf({ name: NAME_SCHEMA, input: INPUT_SCHEMA, confirmation_token: TOKEN_SCHEMA }, ['name']),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

const CONTINUE_TOOL: Tool = {
  name: 'continue_output',
  title: 'Continue a long output',
  description: 'Returns the next part of a long output.',
  inputSchema: inputSchemaOf({ cursor: TEXT_SCHEMA }, ['cursor']),
  annotations: READ_ONLY_HINTS,
};

export const listSearchModeTools = (caller: Caller, categories: readonly string[]): Tool[] => [
  findAbilitiesTool(categories),
  DESCRIBE_TOOL,
  ...(hasPermission(caller, 'read') ? [READ_TOOL] : []),
  ...(hasPermission(caller, 'write') ? [RUN_TOOL] : []),
  CONTINUE_TOOL,
];

export const listAllModeTools = (abilities: readonly Ability[]): Tool[] => [...abilities.map(toMcpTool), CONTINUE_TOOL];

function toMcpTool({
  name,
  title,
  description,
  instructions,
  input,
  readonly,
  destructive,
  idempotent,
}: Ability): Tool {
  const { properties, ...rest } = input;
  return {
    name,
    title,
    description: [description, instructions, destructive && CONFIRMATION_NOTE].filter(Boolean).join(' '),
    inputSchema: {
      ...rest,
      type: 'object',
      properties: { ...(properties as object), ...(destructive && { confirmation_token: TOKEN_SCHEMA }) },
    },
    annotations: {
      title,
      readOnlyHint: readonly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      // Reading uses only data of this service; changes affect the sites.
      openWorldHint: !readonly,
    },
  };
}

const CONFIRMATION_NOTE =
  'The first call returns a preview and a confirmation_token. To execute it, repeat the call with this token.';
