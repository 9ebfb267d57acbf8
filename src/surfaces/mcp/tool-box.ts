import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequestParams,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { faultIn } from './arguments.ts';
import { abilityNamed, type Ability, type Catalog } from './catalog.ts';
import { Progress } from './progress.ts';
import { described } from './resources.ts';
import { refusalResult, type Input, type Patience, type Runner } from './runner.ts';
import { categoryOf, search } from './search.ts';
import { abilityTools, searchTools } from './tools.ts';

export interface ToolBoxParts {
  catalog: Catalog;
  runner: Runner;
  waitMs: number;
  isStopping: () => boolean;
  allowed: () => Promise<Ability[]>;
}

type Asking = ServerContext['mcpReq'];

const FOUND_AT_FIRST = 10;

export class ToolBox {
  readonly #call: McpCall;
  readonly #parts: ToolBoxParts;

  constructor(call: McpCall, deps: ToolBoxParts) {
    this.#call = call;
    this.#parts = deps;
  }

  async list(): Promise<Tool[]> {
    if (this.#call.allTools) return abilityTools(await this.#parts.allowed());
    return this.#searchTools();
  }

  #searchTools(): Tool[] {
    const categories = new Set([...this.#parts.catalog.values()].map(categoryOf));
    return searchTools(this.#call.caller, [...categories]);
  }

  /** Runs a tool. Abilities that are not listed can also be called by name. */
  async call({ name, arguments: values = {} }: CallToolRequestParams, asking: Asking): Promise<CallToolResult> {
    const tool = this.#searchTools().find((each) => each.name === name);
    if (!tool) {
      const ability = abilityNamed(this.#parts.catalog, name);
      if (!ability) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
      const { confirmation_token: token, ...input } = values;
      return this.#run(ability, input, token, asking);
    }
    this.#call.reportOperation(`mcp_${name}`);
    const fault = faultIn(tool, values);
    if (fault !== null) return refusalResult({ code: 'ability_invalid_input', message: fault }, 'Mend the arguments.');
    const args = values as unknown as FindArguments & DescribeArguments & RunArguments & { cursor: string };
    switch (name) {
      case 'find_abilities':
        return this.#find(args);
      case 'describe_ability':
        return this.#describe(args);
      case 'continue_output':
        return this.#parts.runner.goOn(this.#call, args.cursor);
      default:
        return this.#runNamed(args, name === 'read_ability', asking);
    }
  }

  async #find({ query = '', category, limit = query === '' ? Infinity : FOUND_AT_FIRST }: FindArguments) {
    const matches = search(await this.#parts.allowed(), query, category);
    const lines = matches.slice(0, limit).map((ability) => `${ability.name} (${kindOf(ability)}): ${ability.title}`);
    const rest = matches.length - lines.length;
    if (rest > 0) lines.push(`… and ${rest} more, which fit less.`);
    return textResult(lines.length > 0 ? lines.join('\n') : 'Nothing fits. Without a query all abilities are listed.');
  }

  async #describe({ name, output = false }: DescribeArguments): Promise<CallToolResult> {
    const ability = abilityNamed(this.#parts.catalog, name);
    const isAllowed = ability && (await this.#parts.allowed()).includes(ability);
    return isAllowed ? textResult(JSON.stringify(described(ability, output))) : unknownAbility(name);
  }

  async #runNamed({ name, input = {}, confirmation_token: token }: RunArguments, readsOnly: boolean, asking: Asking) {
    const ability = abilityNamed(this.#parts.catalog, name);
    if (!ability) return unknownAbility(name);
    if (readsOnly && !ability.readonly) {
      const message = `${ability.name} changes something or calls sites; read_ability runs those that only read.`;
      return refusalResult({ code: 'svc_permission_denied', message }, 'Use run_ability.');
    }
    return this.#run(ability, input, token, asking);
  }

  #run(ability: Ability, input: Input, token: unknown, asking: Asking): Promise<CallToolResult> {
    if (token !== undefined && typeof token !== 'string') {
      const message = 'confirmation_token must be a text.';
      return Promise.resolve(refusalResult({ code: 'ability_invalid_input', message }, 'Mend the arguments.'));
    }
    return this.#parts.runner.run(this.#call, { ability, input, token }, this.#patience(asking));
  }

  #patience({ _meta, notify, signal }: Asking): Patience {
    const { waitMs, isStopping } = this.#parts;
    const progressToken = _meta?.progressToken;
    // Ignores the error if the client has disconnected.
    const tell = (params: object): void =>
      void notify({ method: 'notifications/progress', params: { progressToken, ...params } }).catch(() => undefined);
    return {
      progress: progressToken === undefined ? null : new Progress(tell),
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
  input?: Input;
  confirmation_token?: string;
}

const kindOf = ({ readonly, destructive }: Ability): string =>
  readonly ? 'reads' : destructive ? 'destroys, asks for confirmation' : 'changes';

/** Creates a result from a text of the service itself, which needs no data marks. */
const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

const unknownAbility = (name: string): CallToolResult =>
  refusalResult(
    { code: 'rest_ability_not_found', message: `There is no ability ${name} for this credential.` },
    'find_abilities lists those that there are.',
  );
