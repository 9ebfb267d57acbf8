import { writeFile } from 'node:fs/promises';
import type { Command as Commander } from 'commander';
import { OPERATIONS, type Operation } from '../../sdk/index.ts';
import { buildCallInput, readInput } from '../call-input.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../exit-codes.ts';
import type { AddCommand } from '../options.ts';
import { formatValue, formatRecord } from '../table.ts';

export function callCommands(program: Commander, add: AddCommand): void {
  add(program, 'operations [words...]', 'list operations that match all of these words', async (command, words) => {
    const wanted = words.map((word) => word.toLowerCase());
    const matches = OPERATIONS.filter(({ id, path }) =>
      wanted.every((word) => `${id} ${path}`.toLowerCase().includes(word)),
    );
    command.list(
      [...matches].sort((one, other) => (one.id < other.id ? -1 : 1)),
      [
        { title: 'operation', of: ({ id }) => id },
        { title: 'method', of: ({ method }) => method },
        { title: 'path', of: ({ path }) => path },
      ],
      matches.map(({ id, method, path }) => ({ id, method, path })),
    );
    return Promise.resolve();
  });

  add(program, 'call <operation> [fields...]', 'call any operation', async (command, [id = '', ...fields], options) => {
    const { jsonInput, output, ifMatch } = options as { jsonInput?: string; output?: string; ifMatch?: string };
    const operation = findOperation(id);
    const jsonFields = jsonInput === undefined ? {} : await readInput(jsonInput, command.environment);
    const input = buildCallInput(operation, fields, jsonFields);
    const fleet = await command.fleet();
    const call = { ...command.call, ...(ifMatch && { ifMatch }) };
    const { data } = await fleet.answer(id as never, ...([input, call] as never));
    await printCallResult(command, data, output);
  })
    .option('--json-input <file>', 'read the input as JSON from a file or from - (standard input)')
    .option('--output <file>', 'write a file response to this path')
    .option('--if-match <etag>', 'ETag of the record; the call fails if the record has changed')
    .addHelpText('after', HELP);
}

const HELP = `
Fields have the form name=value. A JSON value (12, true, null, ["a"], {"b":1}) is sent as JSON, any other value as text.
A name that is given twice becomes a list. In REST v2, a field is a path parameter if the path has its name; otherwise
it is sent in the query of a read or in the body of a write. path.name, query.name and body.name set the place.

  sitefleet call get-site-v1 site_id_or_domain=shop.example
  sitefleet call sites_get id_or_domain=shop.example
  sitefleet call tags_add name=shops 'color=#0a5'
  sitefleet call batch_run --json-input batch.json`;

function findOperation(id: string): Operation {
  const operation = OPERATIONS.find((each) => each.id === id);
  if (operation) return operation;
  const near = OPERATIONS.filter((each) => each.id.includes(id.replace(/-v\d+$/, ''))).slice(0, 5);
  const hint = near.length > 0 ? ` Did you mean ${near.map((each) => each.id).join(', ')}?` : '';
  throw new UsageError(`There is no operation "${id}".${hint} To list all operations, run: sitefleet operations`);
}

async function printCallResult(command: CommandContext, data: unknown, output: string | undefined): Promise<void> {
  const { out } = command.environment;
  if (data instanceof Response) {
    const bytes = new Uint8Array(await data.arrayBuffer());
    if (output !== undefined) await writeFile(output, bytes);
    else out.write(bytes);
    return;
  }
  if (output !== undefined) return writeFile(output, `${JSON.stringify(data, null, 2)}\n`);
  const isRecord = typeof data === 'object' && data !== null && !Array.isArray(data);
  command.print(data ?? null, () => (isRecord ? formatRecord(data) : `${formatValue(data)}\n`));
}
