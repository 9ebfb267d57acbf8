import { Command as Commander } from 'commander';
import { CommandContext } from './command-context.ts';
import { callCommands } from './commands/call.ts';
import { demoCommand } from './commands/demo.ts';
import { completionCommand } from './commands/completion.ts';
import { jobCommands } from './commands/jobs.ts';
import { listCommands } from './commands/lists.ts';
import { meCommand } from './commands/me.ts';
import { profileCommands } from './commands/profiles.ts';
import { siteCommands } from './commands/sites.ts';
import { updateCommands } from './commands/updates.ts';
import { verifyCommand } from './commands/verify.ts';
import { parseSeconds, type AddCommand } from './options.ts';
import type { CliEnvironment } from './cli-environment.ts';

const EXAMPLES = `
Examples:
  sitefleet profiles add work --url https://fleet.example < key.txt
  sitefleet sites list --status connected
  sitefleet updates run --all --rings canary,25% --dry-run
  sitefleet updates run --all --rings canary,25%
  sitefleet jobs watch sync_1f0aba53-0eff-4c21-93fd-8e2c2869c640
  sitefleet call list-sites-v1 per_page=5 --json

SITEFLEET_URL and SITEFLEET_KEY override profiles.

Exit codes: 0 success, 1 failed items, 2 wrong usage, 3 error response, 4 no response, 130 interrupted.`;

export function createProgram(
  environment: CliEnvironment,
  version: string,
  { ended, isJson }: { ended: (exitCode: number) => void; isJson: boolean },
): Commander {
  const { out, err } = environment;
  const program = new Commander('sitefleet')
    .description('Lists, syncs and updates the sites of a Sitefleet service.')
    .version(version)
    .showHelpAfterError('Pass --help to see the usage.')
    .configureOutput({
      writeOut: (text) => out.write(text),
      // With --json, `run` prints the error as JSON.
      writeErr: (text) => (isJson ? undefined : err.write(text)),
      getOutHelpWidth: () => out.columns ?? 80,
      getErrHelpWidth: () => err.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    // Commander wraps the descriptions of commands only if their column has at least this width. The default of 40 is
    // too much for a terminal with 80 columns.
    .configureHelp({ minWidthToWrap: 24 })
    .addHelpText('after', EXAMPLES)
    .exitOverride();

  const add: AddCommand = (parent, usage, description, run) => {
    const command = parent.command(usage).description(description);
    command
      .option('--json', 'print the response as JSON')
      .option('--profile <name>', 'use the service and API key of this profile')
      .option('--url <address>', 'URL of the service')
      .option('--timeout <seconds>', 'timeout of the command in seconds', parseSeconds)
      .option('--no-progress', 'never show a progress bar')
      .option('--no-color', 'never use colors')
      .action(async (...parameters: unknown[]) => {
        const words = parameters.slice(0, -2).flat() as (string | undefined)[];
        const options = parameters.at(-2) as Record<string, unknown>;
        const one = new CommandContext(options, environment);
        const parts = words.filter((word): word is string => word !== undefined);
        await one.run(() => run(one, parts, options));
        ended(one.exitCode);
      });
    return command;
  };
  for (const commands of [
    ...[siteCommands, updateCommands, listCommands, jobCommands, callCommands, profileCommands],
    ...[meCommand, verifyCommand],
  ])
    commands(program, add);
  demoCommand(program, environment);
  completionCommand(program, add);
  return program;
}
