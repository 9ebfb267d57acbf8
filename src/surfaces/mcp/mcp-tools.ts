import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequestParams,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { abortAfter } from '../../shared/abort-after.ts';
import { findArgumentError } from './argument-checks.ts';
import { groupOfCategory, listDeprecatedTools } from './deprecated-tools.ts';
import { withResourceLinksInJson } from './guides.ts';
import type { ProgressWaitOptions } from './job-watch.ts';
import { findOperation, groupsOf, isFindable, isPermitted, type OperationCatalog } from './operation-catalog.ts';
import { describeOperation } from './operation-description.ts';
import type { OperationRunner } from './operation-runner.ts';
import { searchOperations } from './operation-search.ts';
import type { Operation, OperationInput } from './operation.ts';
import { ProgressReporter } from './progress-reporter.ts';
import { describeAbility } from './resources.ts';
import { foundResult, groupsResult, nothingFitsResult } from './search-results.ts';
import { listAllModeTools, listSearchModeTools, type MayRun } from './tool-definitions.ts';
import { errorResult, invalidArguments, ownResult, unknownOperation } from './tool-results.ts';
import type { ProgressWait } from './wait-for-job.ts';

export interface McpToolsDeps {
  catalog: OperationCatalog;
  runner: OperationRunner;
  waitMs: number;
  outputLimit: number;
  publicUrl: string;
  isStopping: () => boolean;
  listAllowed: () => Promise<Operation[]>;
}

type McpRequest = ServerContext['mcpReq'];

const DEFAULT_SEARCH_LIMIT = 10;

const isAbility = ({ surface }: Operation): boolean => surface === 'abilities';

export class McpTools {
  readonly #call: McpCall;
  readonly #deps: McpToolsDeps;

  constructor(call: McpCall, deps: McpToolsDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  async list(): Promise<Tool[]> {
    if (this.#call.allTools) return listAllModeTools((await this.#deps.listAllowed()).filter(isAbility));
    return this.#searchTools();
  }

  #searchTools(): Tool[] {
    const mayRun: MayRun = (condition) => {
      for (const operation of this.#deps.catalog.values())
        if (condition(operation) && isPermitted(this.#call.caller, operation)) return true;
      return false;
    };
    return [...listSearchModeTools(mayRun), ...listDeprecatedTools(mayRun)];
  }

  /** Calls a tool. An ability can be called by its name even if it is not listed as a tool. */
  async call({ name, arguments: values = {} }: CallToolRequestParams, asking: McpRequest): Promise<CallToolResult> {
    const tool = this.#searchTools().find((each) => each.name === name);
    if (!tool) {
      const ability = findOperation(this.#deps.catalog, name);
      if (!ability || !isAbility(ability))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
      const { confirmation_token, ...input } = values;
      if (confirmation_token !== undefined && typeof confirmation_token !== 'string')
        return invalidArguments('confirmation_token must be a string.');
      return this.#run(ability, { input, ...(confirmation_token !== undefined && { confirmation_token }) }, asking);
    }
    this.#call.reportOperation(`mcp_${name}`);
    const fault = findArgumentError(tool, values);
    if (fault !== null) return invalidArguments(fault);
    const args = values as unknown as FindArguments & DescribeArguments & RunArguments & DeprecatedArguments;
    switch (name) {
      case 'find_operations':
        return this.#find(args);
      case 'describe_operation':
        return this.#describe(args);
      case 'continue_output':
        return this.#deps.runner.continueOutput(this.#call, args.cursor);
      case 'read_operation':
        return this.#runNamed(args, 'run_operation', asking);
      case 'run_operation':
        return this.#runNamed(args, null, asking);
      default:
        return this.#callDeprecated(name, args, asking);
    }
  }

  async #find({ query = '', group, limit = DEFAULT_SEARCH_LIMIT }: FindArguments): Promise<CallToolResult> {
    const allowed = (await this.#deps.listAllowed()).filter(isFindable);
    const groups = groupsOf(allowed);
    if (group !== undefined && !groups.some(({ name }) => name === group))
      return groupsResult(groups, `There is no group ${group}. These are the groups:`);
    const chosen = group === undefined ? allowed : allowed.filter((each) => each.group === group);
    if (query.trim() === '')
      return group === undefined
        ? groupsResult(groups, 'find_operations with a group lists its operations. These are the groups:')
        : foundResult(chosen, chosen.length);
    const { matches, unknownWords } = searchOperations(chosen, query);
    return matches.length === 0 ? nothingFitsResult(query, unknownWords, groups) : foundResult(matches, limit);
  }

  async #describe({ operation: id, output = false, field }: DescribeArguments): Promise<CallToolResult> {
    const operation = await this.#allowed(id);
    if (!operation) return unknownOperation(id);
    const maxCharacters = this.#deps.outputLimit;
    const description = describeOperation(operation, { withOutput: output, field, maxCharacters });
    if (!description) return invalidArguments(`field: the input of ${id} has no field ${field}.`);
    const text = withResourceLinksInJson(JSON.stringify(description), this.#deps);
    return ownResult(text, JSON.parse(text) as Record<string, unknown>);
  }

  async #allowed(id: string): Promise<Operation | undefined> {
    const operation = findOperation(this.#deps.catalog, id);
    return operation && (await this.#deps.listAllowed()).includes(operation) ? operation : undefined;
  }

  /**
   * `writer` is the name of the tool for operations that change data or call sites. If it is set, this tool runs only
   * operations that read. Null: it runs all operations.
   */
  async #runNamed(args: RunArguments, writer: string | null, asking: McpRequest): Promise<CallToolResult> {
    const { operation: id } = args;
    const operation = findOperation(this.#deps.catalog, id);
    if (!operation) return unknownOperation(id);
    if (writer !== null && operation.effect !== 'reads') {
      const message = `${operation.id} changes data or calls sites. This tool only runs operations that read.`;
      return errorResult({ code: 'svc_permission_denied', message }, `Use ${writer}.`);
    }
    return this.#run(operation, args, asking);
  }

  #run(
    operation: Operation,
    { input = {}, confirmation_token: token, idempotency_key: idempotencyKey, if_match: ifMatch }: RunOptions,
    asking: McpRequest,
  ): Promise<CallToolResult> {
    return this.#deps.runner.run(
      this.#call,
      { operation, input, token, idempotencyKey, ifMatch },
      this.#waitOptions(asking),
    );
  }

  /** Calls a tool of release 0.1. As in that release, these tools answer in text and run only abilities. */
  async #callDeprecated(name: string, args: DeprecatedArguments, asking: McpRequest): Promise<CallToolResult> {
    const ability = abilityIn(this.#deps.catalog, args.name ?? '');
    switch (name) {
      case 'find_abilities':
        return this.#findAbilities(args);
      case 'describe_ability': {
        if (!ability || !(await this.#allowed(ability.id))) return unknownOperation(args.name);
        const description = describeAbility(ability, args.output ?? false);
        return ownResult(JSON.stringify(description), description);
      }
      default:
        if (!ability) return unknownOperation(args.name);
        return this.#runNamed(
          { ...args, operation: ability.id },
          name === 'read_ability' ? 'run_ability' : null,
          asking,
        );
    }
  }

  async #findAbilities({ query = '', category, limit }: DeprecatedArguments): Promise<CallToolResult> {
    const allowed = (await this.#deps.listAllowed()).filter(isAbility);
    const group = category === undefined ? null : groupOfCategory(category);
    const chosen = allowed.filter((each) => group === null || each.group === group);
    if (query === '') return foundResult(chosen, limit ?? chosen.length);
    const { matches } = searchOperations(chosen, query);
    if (matches.length > 0) return foundResult(matches, limit ?? DEFAULT_SEARCH_LIMIT);
    return ownResult('No ability matches. Without a query, all abilities are listed.', { operations: [], total: 0 });
  }

  #waitOptions({ _meta, notify, signal }: McpRequest): ProgressWaitOptions {
    const { waitMs, isStopping } = this.#deps;
    const progressToken = _meta?.progressToken;
    // Ignores the error if the client has disconnected.
    const tell = (params: object): void =>
      void notify({ method: 'notifications/progress', params: { progressToken, ...params } }).catch(() => undefined);
    const wait = (): ProgressWait => ({
      reporter: new ProgressReporter(tell),
      signal: AbortSignal.any([signal, this.#call.disconnectSignal, abortAfter(waitMs)]),
      isStopping,
    });
    return { progress: progressToken === undefined ? null : wait(), waitMs };
  }
}

function abilityIn(catalog: OperationCatalog, name: string): Operation | undefined {
  const operation = findOperation(catalog, name);
  return operation && isAbility(operation) ? operation : undefined;
}

interface FindArguments {
  query?: string;
  group?: string;
  limit?: number;
}

interface DescribeArguments {
  operation: string;
  output?: boolean;
  field?: string;
}

interface RunOptions {
  input?: OperationInput;
  confirmation_token?: string;
  idempotency_key?: string;
  if_match?: string;
}

interface RunArguments extends RunOptions {
  operation: string;
}

interface DeprecatedArguments extends RunOptions {
  name: string;
  output?: boolean;
  query?: string;
  category?: string;
  limit?: number;
  cursor: string;
}
