import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { MINUTE } from '../../shared/clock.ts';
import type { Ability } from './ability-catalog.ts';
import { CONFIRMATION_TTL_MS, type Confirmations, type TokenRejection } from './confirmations.ts';
import { helpFor, type ErrorBody } from './error-help.ts';
import { isQueued, JOB_STATUS_ABILITY, waitForJob, type QueuedJob, type WaitOptions } from './wait-for-job.ts';
import type { LongOutputs, OutputChunkWithCursor } from './long-outputs.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import { toSafeJsonText, markAsUntrustedData } from './untrusted-data-marking.ts';

export type AbilityInput = Record<string, unknown>;

export interface AbilityCall {
  ability: Ability;
  input: AbilityInput;
  token: string | undefined;
}

export interface ProgressWaitOptions extends WaitOptions {
  /** Null if the client did not request progress. The call then does not wait. */
  progress: ProgressReporter | null;
}

export interface AbilityRunnerDeps {
  confirmations: Confirmations;
  outputs: LongOutputs;
}

export class AbilityRunner {
  readonly #deps: AbilityRunnerDeps;

  constructor(deps: AbilityRunnerDeps) {
    this.#deps = deps;
  }

  async run(
    call: McpCall,
    { ability, input, token }: AbilityCall,
    patience: ProgressWaitOptions,
  ): Promise<CallToolResult> {
    call.reportOperation(ability.name);
    const { confirm: _, ...asked } = input;
    if (!ability.destructive || asked['dry_run'] === true) return this.#execute(call, ability, input, patience);
    if (token === undefined) return this.#preview(call, ability, asked);
    const fault = await this.#deps.confirmations.redeem(token, call.caller, ability.name, asked);
    if (fault !== null) return notConfirmedResult(fault);
    return this.#execute(
      call,
      ability,
      ability.policy.needsConfirmation ? { ...asked, confirm: true } : asked,
      patience,
    );
  }

  async continueOutput({ caller }: McpCall, cursor: string): Promise<CallToolResult> {
    const page = await this.#deps.outputs.nextPage(caller, cursor);
    if (page) return pageResult(page);
    return errorResult(
      { code: 'cursor_unknown', message: 'There is no stored output for this cursor.' },
      'Repeat the call.',
    );
  }

  async #execute(
    call: McpCall,
    ability: Ability,
    input: AbilityInput,
    patience: ProgressWaitOptions,
  ): Promise<CallToolResult> {
    const running = dispatchAbility(call, ability, input);
    const { status, body } = await (patience.progress?.keepAliveDuring(running) ?? running);
    if (status >= 400) return errorResultWithHelp(body as ErrorBody);
    if (!isQueued(body)) return pageResult(await this.#deps.outputs.firstPage(call.caller, body));
    return this.#waitForQueuedJob(call, body, patience);
  }

  async #waitForQueuedJob(call: McpCall, queued: QueuedJob, patience: ProgressWaitOptions): Promise<CallToolResult> {
    const { progress } = patience;
    const job = progress && (await waitForJob(call, queued.job_id, progress, patience));
    const page = await this.#deps.outputs.firstPage(call.caller, job ? { ...queued, job } : queued);
    if (job?.completed_at) return { ...pageResult(page), isError: job.status === 'failed' };
    return pageResult(
      page,
      `The job continues in the background. ${JOB_STATUS_ABILITY} with job_id "${queued.job_id}" returns its status.`,
    );
  }

  /** Runs the preview of a call and returns a token that confirms exactly this call. */
  async #preview(call: McpCall, ability: Ability, input: AbilityInput): Promise<CallToolResult> {
    const { status, body } = await dispatchPreview(call, ability, input);
    if (status >= 400) return errorResultWithHelp(body as ErrorBody);
    const page = await this.#deps.outputs.firstPage(call.caller, body);
    const token = this.#deps.confirmations.createToken(call.caller, ability.name, input);
    const note =
      `Nothing was changed. "${ability.title}" cannot be undone. Ask the user first. To confirm, repeat the call with ` +
      `the same arguments and confirmation_token "${token}" within ${CONFIRMATION_TTL_MS / MINUTE} minutes.`;
    return pageResult(page, note);
  }
}

type DispatchResult = Awaited<ReturnType<McpCall['dispatch']>>;

/**
 * Sends a copy, because validation fills in defaults and resolves names. The token must cover the original arguments.
 */
const dispatchAbility = ({ dispatch }: McpCall, { name }: Ability, input: AbilityInput): Promise<DispatchResult> =>
  dispatch({ method: 'POST', path: `/svc/${name}/run`, body: { input: structuredClone(input) } });

/**
 * Previews a call. Uses `dry_run` if the ability has it. Otherwise calls the ability without a confirmation, which
 * validates everything else.
 */
async function dispatchPreview(call: McpCall, ability: Ability, input: AbilityInput): Promise<DispatchResult> {
  if (ability.hasDryRun) return dispatchAbility(call, ability, { ...input, dry_run: true });
  const body = { would_run: ability.name, with: input };
  if (!ability.policy.needsConfirmation) return { status: 200, body };
  const answer = await dispatchAbility(call, ability, input);
  return (answer.body as ErrorBody).code === 'svc_confirmation_required' ? { status: 200, body } : answer;
}

const REJECTION_MESSAGES: Record<TokenRejection, string> = {
  unknown: 'The confirmation token was not issued to this caller for these arguments.',
  expired: 'The confirmation token has expired.',
  used: 'The confirmation token has already been used.',
};

const notConfirmedResult = (fault: TokenRejection): CallToolResult =>
  errorResult(
    { code: 'svc_confirmation_required', message: `${REJECTION_MESSAGES[fault]} Nothing was changed.` },
    'Repeat the call without a token to get a preview and a new token.',
  );

const errorResultWithHelp = (refusal: ErrorBody): CallToolResult => errorResult(refusal, helpFor(refusal));

/**
 * Returns an error as the result of a tool. It is marked as data, because an error message may contain text from a
 * site.
 */
export function errorResult({ code, message, data }: ErrorBody, help: string): CallToolResult {
  const text = toSafeJsonText({ code, message, ...(data && { data }), help });
  return { isError: true, content: [{ type: 'text', text: markAsUntrustedData(text) }] };
}

function pageResult({ text, range: holds, next, cursor }: OutputChunkWithCursor, note?: string): CallToolResult {
  const more =
    cursor !== null
      ? `This output contains ${holds}. To get the next part, call continue_output with cursor "${cursor}".`
      : next !== null
        ? `This output contains ${holds}. The rest is too long to be stored. Request less data per call.`
        : holds && `This output contains ${holds}. This is the last part.`;
  const notes = [more, note].filter((each) => typeof each === 'string');
  return {
    content: [
      { type: 'text', text: markAsUntrustedData(text) },
      ...(notes.length > 0 ? [{ type: 'text' as const, text: notes.join('\n') }] : []),
    ],
  };
}
