import type { CallToolResult } from '@modelcontextprotocol/server';
import { errorBody } from '../../http/errors.ts';
import type { McpCall } from '../../http/mcp.ts';
import type { HandlerResponse } from '../../http/operation-types.ts';
import { MINUTE } from '../../shared/clock.ts';
import { DomainError } from '../../shared/errors.ts';
import { CONFIRMATION_TTL_MS, type Confirmations, type TokenRejection } from './confirmations.ts';
import { helpFor, type ErrorBody } from './error-help.ts';
import { MAX_FILE_BYTES, readContent, type OutputFile, type ResponseContent } from './file-outputs.ts';
import { fileLinkOf } from './file-resources.ts';
import { continuingNote, endedNote, readJobOutcome, startedJobId } from './job-outcome.ts';
import { JobWatch, type ProgressWaitOptions } from './job-watch.ts';
import type { LongOutputs } from './long-outputs.ts';
import type { Operation, OperationInput } from './operation.ts';
import { errorResult, ownResult, pageResult, type ResultNotes } from './tool-results.ts';
import { UNTRUSTED_DATA_NOTICE, UNTRUSTED_FILE_NOTICE } from './untrusted-data-marking.ts';
import { readJobStatus, waitForJob } from './wait-for-job.ts';

export interface OperationCall {
  operation: Operation;
  input: OperationInput;
  token: string | undefined;
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
}

export interface OperationRunnerDeps {
  confirmations: Confirmations;
  outputs: LongOutputs;
}

export class OperationRunner {
  readonly #deps: OperationRunnerDeps;

  constructor(deps: OperationRunnerDeps) {
    this.#deps = deps;
  }

  async run(call: McpCall, request: OperationCall, patience: ProgressWaitOptions): Promise<CallToolResult> {
    call.reportOperation(request.operation.id);
    try {
      return await this.#run(call, request, patience);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return refusalResult(request.operation, errorBody(error) as ErrorBody);
    }
  }

  async #run(call: McpCall, request: OperationCall, patience: ProgressWaitOptions): Promise<CallToolResult> {
    const { operation, input, token, idempotencyKey } = request;
    const isPreview = operation.hasDryRun && input['dry_run'] === true;
    if (operation.effect !== 'destroys' || isPreview) return this.#execute(call, request, patience);
    const asked = operation.policy.needsConfirmation ? withoutConfirm(input) : input;
    if (token === undefined) return this.#preview(call, { ...request, input: asked });
    const confirmed = { caller: call.caller, operation: operation.id, input: asked, idempotencyKey };
    const fault = await this.#deps.confirmations.redeem(token, confirmed);
    if (fault !== null) return notConfirmedResult(operation, fault);
    return this.#execute(call, { ...request, input: confirmedInput(operation, asked) }, patience);
  }

  async continueOutput({ caller }: McpCall, cursor: string): Promise<CallToolResult> {
    const page = await this.#deps.outputs.nextPage(caller, cursor);
    if (page) return pageResult(page);
    return errorResult(
      { code: 'cursor_unknown', message: 'There is no stored output for this cursor.' },
      'Repeat the call.',
    );
  }

  async #execute(call: McpCall, request: OperationCall, patience: ProgressWaitOptions): Promise<CallToolResult> {
    const { operation, input, idempotencyKey, ifMatch } = request;
    const watch = new JobWatch(call, patience);
    const inner = operation.callOf(input);
    const headers = {
      ...inner.headers,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    const running = call.dispatch[operation.surface]({
      ...inner,
      headers,
      operationId: operation.id,
      wait: watch.wait,
      endsWithCaller: operation.effect === 'reads',
    }).then(readResponse);
    const { response, content } = await (patience.progress?.reporter.keepAliveDuring(running) ?? running);
    const unfinished = await watch.unfinishedJob();
    const fields = { operation: operation.id, status: response.status };
    if (content.kind === 'tooLarge') return errorResult(TOO_LARGE, 'Request less data per call.', fields);
    if (content.kind === 'file')
      return this.#fileResult(call, request, { file: content.file, path: inner.path, fields });
    const { value } = content;
    if (response.status >= 400) return refusalResult(operation, value as ErrorBody);
    const facts = { ...fields, ...(response.etag !== undefined && { etag: response.etag }) };
    const jobId = startedJobId(operation, value);
    if (jobId !== null) return this.#followJob(call, { jobId, value: value as object, fields: facts }, patience);
    return this.#valueResult(call, value, {
      fields: { ...facts, ...(unfinished && { job: { job_id: unfinished.jobId, ...unfinished.status } }) },
      ...(unfinished && { notes: [continuingNote(call, unfinished.jobId)] }),
    });
  }

  async #valueResult(call: McpCall, value: unknown, notes: ResultNotes): Promise<CallToolResult> {
    return pageResult(await this.#deps.outputs.firstPage(call.caller, value), notes);
  }

  /** Waits for the job that the call has started. The result says how the job ended or how to follow it. */
  async #followJob(
    call: McpCall,
    { jobId, value, fields }: { jobId: string; value: object; fields: Record<string, unknown> },
    patience: ProgressWaitOptions,
  ): Promise<CallToolResult> {
    const { progress } = patience;
    const job = await (progress ? waitForJob(call, jobId, progress) : readJobStatus(call, jobId));
    const outcome = job?.completed_at ? await readJobOutcome(call, jobId) : null;
    if (!outcome)
      return this.#valueResult(call, progress && job ? { ...value, job } : value, {
        fields: { ...fields, job: { job_id: jobId, ...job } },
        notes: [continuingNote(call, jobId)],
      });
    const { stop_reason: _, rings: __, ...counters } = outcome.job;
    return this.#valueResult(
      call,
      { ...value, job: outcome.job, item_errors: outcome.itemErrors },
      { fields: { ...fields, job: counters }, notes: [endedNote(outcome)], isError: outcome.job.status === 'failed' },
    );
  }

  /** Returns a file. The text of a CSV file is included as untrusted data. Other, long files are only linked. */
  async #fileResult(
    call: McpCall,
    { operation }: OperationCall,
    { file, path, fields }: { file: OutputFile; path: string; fields: Record<string, unknown> },
  ): Promise<CallToolResult> {
    const link = fileLinkOf(operation, path, file);
    const all = { ...fields, file: { uri: link.uri, media_type: link.mimeType, size_bytes: file.bytes.length } };
    const note =
      `The file has ${file.bytes.length} bytes of ${file.type}. The resource ${link.uri} has its content, which is ` +
      `created again when it is read. ${UNTRUSTED_FILE_NOTICE}`;
    if (file.type.startsWith('text/csv'))
      return this.#valueResult(call, file.bytes.toString('utf8'), { fields: all, notes: [note], links: [link] });
    const { content } = ownResult(note, {});
    return {
      content: [...content, link],
      structuredContent: { ...all, notice: UNTRUSTED_DATA_NOTICE, untrusted_data: null, notes: [note] },
    };
  }

  /** Checks a call without running it, and returns a token that confirms exactly this call. */
  async #preview(call: McpCall, { operation, input }: OperationCall): Promise<CallToolResult> {
    const send = call.dispatch[operation.surface];
    const target = operation.hasDryRun
      ? operation.callOf({ ...input, dry_run: true })
      : { ...operation.callOf(confirmedInput(operation, input)), checkOnly: true };
    const { status, body } = await send({ ...target, operationId: operation.id });
    if (status >= 400) return refusalResult(operation, body as ErrorBody);
    const token = this.#deps.confirmations.createToken({ caller: call.caller, operation: operation.id, input });
    const note =
      `Nothing was changed. "${operation.title}" cannot be undone. Ask the user first. To confirm, repeat the call with ` +
      `the same arguments and confirmation_token "${token}" within ${CONFIRMATION_TTL_MS / MINUTE} minutes.`;
    const preview = operation.hasDryRun ? body : { would_run: operation.id, with: input };
    const fields = { operation: operation.id, status, confirmation_token: token };
    return this.#valueResult(call, preview, { fields, notes: [note] });
  }
}

const TOO_LARGE: ErrorBody = {
  code: 'output_too_large',
  message: `The response is longer than ${MAX_FILE_BYTES / 1024 / 1024} MiB.`,
};

async function readResponse(
  response: HandlerResponse,
): Promise<{ response: HandlerResponse; content: ResponseContent }> {
  return { response, content: await readContent(response) };
}

function withoutConfirm({ confirm: _, ...asked }: OperationInput): OperationInput {
  return asked;
}

const confirmedInput = ({ policy }: Operation, input: OperationInput): OperationInput =>
  policy.needsConfirmation ? { ...input, confirm: true } : input;

const REJECTION_MESSAGES: Record<TokenRejection, string> = {
  unknown: 'The confirmation token was not issued to this caller for these arguments.',
  expired: 'The confirmation token has expired.',
  used: 'The confirmation token has already been used.',
};

const notConfirmedResult = ({ id }: Operation, fault: TokenRejection): CallToolResult =>
  errorResult(
    { code: 'svc_confirmation_required', message: `${REJECTION_MESSAGES[fault]} Nothing was changed.` },
    'Repeat the call without a token to get a preview and a new token.',
    { operation: id },
  );

const refusalResult = ({ id }: Operation, refusal: ErrorBody): CallToolResult =>
  errorResult(refusal, helpFor(refusal), { operation: id, status: Number(refusal.data?.['status'] ?? 500) });
