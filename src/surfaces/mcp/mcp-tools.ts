import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequestParams,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { findArgumentError } from './argument-checks.ts';
import { findAbility, type Ability, type AbilityCatalog } from './ability-catalog.ts';
import { ProgressReporter } from './progress-reporter.ts';
import { describeAbility } from './resources.ts';
import { errorResult, type AbilityInput, type ProgressWaitOptions, type AbilityRunner } from './ability-runner.ts';
import { shortCategoryOf, searchAbilities } from './ability-search.ts';
import { listAllModeTools, listSearchModeTools } from './tool-definitions.ts';

export interface McpToolsDeps {
  catalog: AbilityCatalog;
  runner: AbilityRunner;
  waitMs: number;
  isStopping: () => boolean;
  listAllowed: () => Promise<Ability[]>;
}

type McpRequest = ServerContext['mcpReq'];

const DEFAULT_SEARCH_LIMIT = 10;

export class McpTools {
  readonly #call: McpCall;
  readonly #deps: McpToolsDeps;

  constructor(call: McpCall, deps: McpToolsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async list(): Promise<Tool[]> {
    if (this.#call.allTools) return listAllModeTools(await this.#deps.listAllowed());
    return this.#searchTools();
  }

  #searchTools(): Tool[] {
    const categories = new Set([...this.#deps.catalog.values()].map(shortCategoryOf));
    return listSearchModeTools(this.#call.caller, [...categories]);
  }

  /** Calls a tool or an ability. Abilities that are not listed can also be called by name. */
  async call({ name, arguments: values = {} }: CallToolRequestParams, asking: McpRequest): Promise<CallToolResult> {
    const tool = this.#searchTools().find((each) => each.name === name);
    if (!tool) {
      const ability = findAbility(this.#deps.catalog, name);
      if (!ability) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
      const { confirmation_token: token, ...input } = values;
      return this.#run(ability, input, token, asking);
    }
    this.#call.reportOperation(`mcp_${name}`);
    const fault = findArgumentError(tool, values);
    if (fault !== null) return errorResult({ code: 'ability_invalid_input', message: fault }, 'Correct the arguments.');
    const args = values as unknown as FindArguments & DescribeArguments & RunArguments & { cursor: string };
    switch (name) {
      case 'find_abilities':
        return this.#find(args);
      case 'describe_ability':
        return this.#describe(args);
      case 'continue_output':
        return this.#deps.runner.continueOutput(this.#call, args.cursor);
      default:
        return this.#runNamed(args, name === 'read_ability', asking);
    }
  }

  async #find({ query = '', category, limit = query === '' ? Infinity : DEFAULT_SEARCH_LIMIT }: FindArguments) {
    const matches = searchAbilities(await this.#deps.listAllowed(), query, category);
    const lines = matches
      .slice(0, limit)
      .map((ability) => `${ability.name} (${describeEffect(ability)}): ${ability.title}`);
    const rest = matches.length - lines.length;
    if (rest > 0) lines.push(`… and ${rest} more, which match less well.`);
    return textResult(
      lines.length > 0 ? lines.join('\n') : 'No ability matches. Without a query, all abilities are listed.',
    );
  }

  async #describe({ name, output = false }: DescribeArguments): Promise<CallToolResult> {
    const ability = findAbility(this.#deps.catalog, name);
    const isAllowed = ability && (await this.#deps.listAllowed()).includes(ability);
    return isAllowed ? textResult(JSON.stringify(describeAbility(ability, output))) : unknownAbility(name);
  }

  async #runNamed(
    { name, input = {}, confirmation_token: token }: RunArguments,
    readsOnly: boolean,
    asking: McpRequest,
  ) {
    const ability = findAbility(this.#deps.catalog, name);
    if (!ability) return unknownAbility(name);
    if (readsOnly && !ability.readonly) {
      const message = `${ability.name} changes data or calls sites. read_ability only runs abilities that read.`;
      return errorResult({ code: 'svc_permission_denied', message }, 'Use run_ability.');
    }
    return this.#run(ability, input, token, asking);
  }

  #run(ability: Ability, input: AbilityInput, token: unknown, asking: McpRequest): Promise<CallToolResult> {
    if (token !== undefined && typeof token !== 'string') {
      const message = 'confirmation_token must be a string.';
      return Promise.resolve(errorResult({ code: 'ability_invalid_input', message }, 'Correct the arguments.'));
    }
    return this.#deps.runner.run(this.#call, { ability, input, token }, this.#waitOptions(asking));
  }

  #waitOptions({ _meta, notify, signal }: McpRequest): ProgressWaitOptions {
    const { waitMs, isStopping } = this.#deps;
    const progressToken = _meta?.progressToken;
    // Ignores the error if the client has disconnected.
    const tell = (params: object): void =>
      void notify({ method: 'notifications/progress', params: { progressToken, ...params } }).catch(() => undefined);
    return {
      progress: progressToken === undefined ? null : new ProgressReporter(tell),
      signal: AbortSignal.any([signal, this.#call.disconnectSignal, AbortSignal.timeout(waitMs)]),
      isStopping,
    };
  }
}

interface FindArguments {
  query?: string;
  category?: string;
  limit?: number;
}

interface DescribeArguments {
  name: string;
  output?: boolean;
}

interface RunArguments {
  name: string;
  input?: AbilityInput;
  confirmation_token?: string;
}

const describeEffect = ({ readonly, destructive }: Ability): string =>
  readonly ? 'reads' : destructive ? 'destructive, requires confirmation' : 'changes';

/** Returns a text of the service itself, which needs no data marks. */
const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

const unknownAbility = (name: string): CallToolResult =>
  errorResult(
    { code: 'rest_ability_not_found', message: `There is no ability ${name} for this credential.` },
    'Use find_abilities to list the abilities.',
  );
