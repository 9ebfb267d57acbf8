import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpCall } from '../../http/mcp.ts';
import { MINUTE } from '../../shared/clock.ts';
import type { Ability } from './catalog.ts';
import { CONFIRM_WITHIN, type Confirmations, type Fault } from './confirmations.ts';
import { helpFor, type Refusal } from './help.ts';
import { isQueued, JOB_STATUS, waitedFor, type Queued, type Waiting } from './job-wait.ts';
import type { LongOutputs, ShownPage } from './outputs.ts';
import type { Progress } from './progress.ts';
import { jsonText, markedAsData } from './text.ts';

export type Input = Record<string, unknown>;

export interface Order {
  ability: Ability;
  input: Input;
  /** Confirmation token for a destructive ability. */
  token: string | undefined;
}

export interface Patience extends Waiting {
  /** Null if the client did not request progress. The call then does not wait. */
  progress: Progress | null;
}

export interface RunnerParts {
  confirmations: Confirmations;
  outputs: LongOutputs;
}

/** Runs abilities as tools. Destructive ones must be confirmed, and long responses are split into pages. */
export class Runner {
  readonly #parts: RunnerParts;

  constructor(deps: RunnerParts) {
    this.#parts = deps;
  }

  async run(call: McpCall, { ability, input, token }: Order, patience: Patience): Promise<CallToolResult> {
    call.reportOperation(ability.name);
    const { confirm: _, ...asked } = input;
    if (!ability.destructive || asked['dry_run'] === true) return this.#done(call, ability, input, patience);
    if (token === undefined) return this.#preview(call, ability, asked);
    const fault = await this.#parts.confirmations.spend(token, call.caller, ability.name, asked);
    if (fault !== null) return notConfirmed(fault);
    return this.#done(call, ability, ability.policy.needsConfirmation ? { ...asked, confirm: true } : asked, patience);
  }

  async goOn({ caller }: McpCall, cursor: string): Promise<CallToolResult> {
    const page = await this.#parts.outputs.goOn(caller, cursor);
    if (page) return shown(page);
    return refusalResult(
      { code: 'cursor_unknown', message: 'Nothing is kept under this cursor.' },
      'Make the call again.',
    );
  }

  async #done(call: McpCall, ability: Ability, input: Input, patience: Patience): Promise<CallToolResult> {
    const running = send(call, ability, input);
    const { status, body } = await (patience.progress?.during(running) ?? running);
    if (status >= 400) return refusedBy(body as Refusal);
    if (!isQueued(body)) return shown(await this.#parts.outputs.begin(call.caller, body));
    return this.#queued(call, body, patience);
  }

  async #queued(call: McpCall, queued: Queued, patience: Patience): Promise<CallToolResult> {
    const { progress } = patience;
    const job = progress && (await waitedFor(call, queued.job_id, progress, patience));
    const page = await this.#parts.outputs.begin(call.caller, job ? { ...queued, job } : queued);
    if (job?.completed_at) return { ...shown(page), isError: job.status === 'failed' };
    return shown(
      page,
      `It goes on in the background. ${JOB_STATUS} with job_id "${queued.job_id}" tells how it stands.`,
    );
  }

  /** Returns the effect of a call without executing it, and a token that confirms exactly this call. */
  async #preview(call: McpCall, ability: Ability, input: Input): Promise<CallToolResult> {
    const { status, body } = await previewOf(call, ability, input);
    if (status >= 400) return refusedBy(body as Refusal);
    const page = await this.#parts.outputs.begin(call.caller, body);
    const token = this.#parts.confirmations.token(call.caller, ability.name, input);
    const note =
      `Nothing was done. ${ability.title} cannot be undone: ask the user first. To do it, make the same call with ` +
      `the same arguments and confirmation_token "${token}" within ${CONFIRM_WITHIN / MINUTE} minutes.`;
    return shown(page, note);
  }
}

type Dispatched = Awaited<ReturnType<McpCall['dispatch']>>;

/**
 * Sends a copy, because validation fills in defaults and resolves names. The token must cover the original arguments.
 */
const send = ({ dispatch }: McpCall, { name }: Ability, input: Input): Promise<Dispatched> =>
  dispatch({ method: 'POST', path: `/svc/${name}/run`, body: { input: structuredClone(input) } });

/**
 * Uses `dry_run` if the ability has it. Otherwise, the ability is called without a confirmation, which validates
 * everything else.
 */
async function previewOf(call: McpCall, ability: Ability, input: Input): Promise<Dispatched> {
  if (ability.previews) return send(call, ability, { ...input, dry_run: true });
  const body = { would_run: ability.name, with: input };
  if (!ability.policy.needsConfirmation) return { status: 200, body };
  const answer = await send(call, ability, input);
  return (answer.body as Refusal).code === 'svc_confirmation_required' ? { status: 200, body } : answer;
}

const FAULTS: Record<Fault, string> = {
  unknown: 'The confirmation token was not given to this caller for these arguments.',
  expired: 'The confirmation token is too old.',
  used: 'The confirmation token was used already.',
};

const notConfirmed = (fault: Fault): CallToolResult =>
  refusalResult(
    { code: 'svc_confirmation_required', message: `${FAULTS[fault]} Nothing was done.` },
    'Make the call without a token for a preview and a new one.',
  );

const refusedBy = (refusal: Refusal): CallToolResult => refusalResult(refusal, helpFor(refusal));

/** The result is marked as data, because an error message may contain text from a site. */
export function refusalResult({ code, message, data }: Refusal, help: string): CallToolResult {
  const text = jsonText({ code, message, ...(data && { data }), help });
  return { isError: true, content: [{ type: 'text', text: markedAsData(text) }] };
}

function shown({ text, holds, next, cursor }: ShownPage, note?: string): CallToolResult {
  const more =
    cursor !== null
      ? `This holds ${holds}. continue_output with cursor "${cursor}" shows what follows.`
      : next !== null
        ? `This holds ${holds}. The rest is too long to be kept: ask for less at a time.`
        : holds && `This holds ${holds}, which are the last.`;
  const notes = [more, note].filter((each) => typeof each === 'string');
  return {
    content: [
      { type: 'text', text: markedAsData(text) },
      ...(notes.length > 0 ? [{ type: 'text' as const, text: notes.join('\n') }] : []),
    ],
  };
}
