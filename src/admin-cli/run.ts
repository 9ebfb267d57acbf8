import { CommanderError } from 'commander';
import { migrateUp, migrationStatus } from '../db/migrations/index.ts';
import { checkServerBinlogFormat } from '../db/server-check.ts';
import { checkSealingKey } from '../db/sealing-check.ts';
import { INVALID_INPUT } from '../shared/error-codes.ts';
import { DomainError } from '../shared/errors.ts';
import { UsageError, type CommandServices, type CommandGroup, type CommandResult } from './command.ts';
import { keyCommands } from './keys.ts';
import { mailCommands } from './mail.ts';
import { migrateCommands } from './migrate.ts';
import { moduleCommands } from './modules.ts';
import { createProgram, toUsageError, type ParsedCommand } from './program.ts';
import { userCommands } from './users.ts';

export const GROUPS: readonly CommandGroup[] = [
  userCommands,
  keyCommands,
  moduleCommands,
  mailCommands,
  migrateCommands,
];

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export interface CliEnvironment {
  open: () => Promise<CommandServices>;
  explain?: (error: unknown) => unknown;
  columns?: number | undefined;
  out: (text: string) => void;
  err: (text: string) => void;
}

export async function run(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  const { out, columns, explain = (fault) => fault } = environment;
  const perform = async (call: ParsedCommand): Promise<void> => {
    const { data, text } = await runVerb(call, environment);
    out(`${call.json ? JSON.stringify(data, null, 2) : text}\n`);
  };
  try {
    await createProgram({ groups: GROUPS, perform, out, columns }).parseAsync(argv, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    const fault = error instanceof CommanderError ? toUsageError(error) : explain(error);
    return fault === undefined ? EXIT.done : fail(fault, argv.includes('--json'), environment);
  }
}

async function runVerb({ group, verb, values }: ParsedCommand, { open, err }: CliEnvironment): Promise<CommandResult> {
  const progress = (line: string): void => err(`${line}\n`);
  const core = await open();
  try {
    await checkServerBinlogFormat(core.database);
    if (group.migratesFirst) {
      await migrateDatabase(core, progress);
      await checkSealingKey(core.database, core.sealing);
    }
    return await verb.run(core, values, progress);
  } finally {
    await core.close();
  }
}

/** Applies missing migrations, so that the commands work before the first start of the service. */
async function migrateDatabase({ database }: CommandServices, progress: (line: string) => void): Promise<void> {
  const missing = (await migrationStatus(database.knex)).filter(({ applied }) => !applied);
  if (missing.length > 0) progress(`Applying ${missing.length} migrations …`);
  await migrateUp(database.knex, progress);
}

function fail(error: unknown, json: boolean, { err }: CliEnvironment): number {
  const usage = error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  const code = usage ? 'usage' : error instanceof DomainError ? printedErrorCode(error) : 'failed';
  const errors = error instanceof DomainError ? error.data.errors : undefined;
  if (json) err(`${JSON.stringify({ code, message, ...(errors ? { errors } : {}) })}\n`);
  else {
    err(`${message}\n`);
    if (usage) err('Pass --help to see the usage.\n');
    // If the error has no summary, its message already lists these paths and details, so they are not printed again.
    for (const { path, message: detail } of errors ?? []) if (!message.startsWith(path)) err(`  ${path} ${detail}\n`);
  }
  return usage ? EXIT.usage : EXIT.failed;
}

const printedErrorCode = ({ code }: DomainError): string => (code === INVALID_INPUT ? 'rest_invalid_param' : code);
