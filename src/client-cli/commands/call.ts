import type { Command as Commander } from 'commander';
import { readAnswer } from '../../sdk/answer.ts';
import {
  ConnectionError,
  OPERATIONS,
  type CallOptions,
  type FullAnswer,
  type Operation,
  type Sitefleet,
} from '../../sdk/index.ts';
import { hasFailures } from '../answer-outcome.ts';
import { buildCallInput, readFileFields, readInput } from '../call-input.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT_CODES, UsageError } from '../exit-codes.ts';
import type { AddCommand } from '../options.ts';
import { OutputFile } from '../output-file.ts';
import { formatJson } from '../table.ts';

export function callCommands(program: Commander, add: AddCommand): void {
  add(program, 'operations [words...]', 'list operations that match all of these words', async (command, words) => {
    const wanted = words.map((word) => word.toLowerCase());
    const matches = OPERATIONS.filter(({ id, path }) =>
      wanted.every((word) => `${id} ${path}`.toLowerCase().includes(word)),
    );
    command.list(
      [...matches].sort((one, other) => (one.id < other.id ? -1 : 1)),
      [
        { title: 'operation', of: ({ id }) => id, narrow: 'keep' },
        { title: 'method', of: ({ method }) => method },
        { title: 'path', of: ({ path }) => path },
      ],
      matches.map(({ id, method, path }) => ({ id, method, path })),
    );
    return Promise.resolve();
  });

  add(program, 'call <operation> [fields...]', 'call any operation', async (command, [id = '', ...fields], options) => {
    const { jsonInput, output, ifMatch, follow } = options as CallCommandOptions;
    if (follow && output !== undefined) throw new UsageError('Pass --follow or --output, not both.');
    const operation = findOperation(id);
    const jsonFields = jsonInput === undefined ? {} : await readInput(jsonInput, command.environment);
    const input = await readFileFields(operation, buildCallInput(operation, fields, jsonFields));
    const fleet = await command.fleet();
    const file = output === undefined ? null : await OutputFile.open(output);
    try {
      const answer = await callOperation(fleet, operation, input, { ...command.call, ...(ifMatch && { ifMatch }) });
      const job = follow && !(answer instanceof Response) ? jobIdIn(answer.data) : undefined;
      if (job !== undefined) return await command.watch(fleet, job);
      if (answer instanceof Response) return await saveOrPrintFile(command, answer, file);
      if (hasFailures(answer.data, operation.method === 'GET')) command.exitCode = EXIT_CODES.itemsFailed;
      await saveOrPrintData(command, answer.data, file);
    } catch (error) {
      await file?.discard();
      throw error;
    }
  })
    .option('--json-input <file>', 'read the input as JSON from a file or from - (standard input)')
    .option('--output <file>', 'write the response, such as a report in the format pdf, to this file')
    .option('--follow', 'wait until a job of the response has ended')
    .option('--if-match <etag>', 'ETag of the record; the call fails if the record has changed')
    .addHelpText('after', HELP);
}

const HELP = `
Fields have the form name=value. A field that can only be a text takes each value as it is; other fields take JSON (12,
true, null, ["a"], {"b":1}). A list takes one value, JSON, or its name several times. name=@file reads a field that is a
file. In REST v2, a field is a path parameter if the path has its name; otherwise it is sent in the query of a read or in
the body of a write. path.name, query.name and body.name set the place.

Exits with code 1 if the response has errors, if a checked site does not respond, or if a followed job did not succeed.

  sitefleet call get-site-v1 site_id_or_domain=shop.example
  sitefleet call sites_get id_or_domain=shop.example
  sitefleet call tags_add name=shops 'color=#0a5'
  sitefleet call sites_sync_all --follow
  sitefleet call batch_run --json-input batch.json
  sitefleet call pro_reports_get id_or_domain=1 start_date=2026-11-01 end_date=2026-11-30 format=pdf --output report.pdf`;

interface CallCommandOptions {
  jsonInput?: string;
  output?: string;
  ifMatch?: string;
  follow?: boolean;
}

function jobIdIn(answer: unknown): string | undefined {
  const { job_id, data } = (answer ?? {}) as { job_id?: unknown; data?: { job_id?: unknown } };
  return [job_id, data?.job_id].find((id) => typeof id === 'string');
}

/** True for an object without nested objects and lists. Other values are easier to read as JSON. */
const isFlat = (data: unknown): data is object =>
  typeof data === 'object' &&
  data !== null &&
  !Array.isArray(data) &&
  Object.values(data).every((value) => typeof value !== 'object' || value === null);

function findOperation(id: string): Operation {
  const operation = OPERATIONS.find((each) => each.id === id);
  if (operation) return operation;
  const near = OPERATIONS.filter((each) => each.id.includes(id.replace(/-v\d+$/, ''))).slice(0, 5);
  const hint = near.length > 0 ? ` Did you mean ${near.map((each) => each.id).join(', ')}?` : '';
  throw new UsageError(`There is no operation "${id}".${hint} To list all operations, run: sitefleet operations`);
}

async function callOperation(
  fleet: Sitefleet,
  { id, fileTypes = [] }: Operation,
  input: object,
  options: CallOptions,
): Promise<Response | FullAnswer<unknown>> {
  if (fileTypes.length === 0) return fleet.answer(id as never, ...([input, options] as never));
  const response = await fleet.file(id as never, ...([input, options] as never));
  return fileTypes.includes(mediaTypeOf(response)) ? response : readAnswer(response);
}

const mediaTypeOf = ({ headers }: Response): string => (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';

async function saveOrPrintFile(command: CommandContext, response: Response, file: OutputFile | null): Promise<void> {
  const { out } = command.environment;
  const type = mediaTypeOf(response);
  if (file === null) {
    if (out.isTerminal && !type.startsWith('text/')) {
      // An open body would keep the process running.
      await response.body?.cancel();
      throw new UsageError(`The response is a file of the type ${type}. To save it, pass --output <file>.`);
    }
    for await (const chunk of chunksOf(response)) out.write(chunk);
    return;
  }
  const bytes = await file.write(chunksOf(response));
  command.print(
    { file: file.path, content_type: type, bytes },
    () => `Saved ${file.path} (${type}, ${bytes} bytes).\n`,
  );
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (error) {
    throw new ConnectionError('The response of the service was interrupted.', { cause: error });
  }
}

async function saveOrPrintData(command: CommandContext, data: unknown, file: OutputFile | null): Promise<void> {
  if (file !== null) {
    await file.write([Buffer.from(`${JSON.stringify(data ?? null, null, 2)}\n`)]);
    return;
  }
  command.print(data ?? null, () => (isFlat(data) ? command.fields(data) : `${formatJson(data ?? null)}\n`));
}
