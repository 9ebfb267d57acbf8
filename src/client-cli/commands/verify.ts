import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidArgumentError, type Command as Commander } from 'commander';
import type { ComparableContract } from '../../contract-checks/index.ts';
import { SURFACES, type Surface } from '../../contract/surfaces.ts';
import { EXIT_CODES, UsageError } from '../exit-codes.ts';
import type { AddCommand } from '../options.ts';
import { formatValue } from '../table.ts';

interface VerifyCommandOptions {
  live?: boolean;
  only?: RegExp;
  against?: string;
  junit?: string;
  user?: string;
}

export function verifyCommand(program: Commander, add: AddCommand): void {
  const description = 'check that the service follows its contract, with calls that change nothing';
  add(program, 'verify', description, async (command, _words, options) => {
    const { live = false, only = null, against, junit, user } = options as VerifyCommandOptions;
    const { url, key } = await command.connection();
    const known = against === undefined ? {} : await readContracts(against);
    const password = command.environment.env['SITEFLEET_PASSWORD'];
    if (user !== undefined && !password) throw new UsageError('SITEFLEET_PASSWORD is not set.');
    // The checks are loaded only here, because they are large and no other command needs them.
    const { formatJunit, formatReport, verify } = await import('../../contract-checks/index.ts');
    const credentials = { key, ...(user === undefined ? {} : { user, password }) };
    const report = await verify({ url, credentials, live, only, known, ...command.call });
    if (report.findings.some(({ outcome }) => outcome === 'failed')) command.exitCode = EXIT_CODES.itemsFailed;
    if (junit !== undefined) await writeFile(junit, formatJunit(report));
    command.print(report, () => `${formatReport(report).split('\n').map(formatValue).join('\n')}\n`);
  })
    .option('--against <folder>', 'fail if the contract breaks callers of v2.json and abilities.json in this folder')
    .option('--live', 'also call operations that call sites')
    .option('--only <pattern>', 'check operations whose ID matches', parsePattern)
    .option('--junit <file>', 'write a JUnit report')
    .option('--user <name>', 'also use this user with the application password in SITEFLEET_PASSWORD');
}

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError('It must be a regular expression.');
  }
}

/**
 * Reads the contracts in a folder. A file is named as in the URL of a service (`v2.json`) or as the build names it
 * (`v2.openapi.json`).
 */
async function readContracts(folder: string): Promise<Partial<Record<Surface, ComparableContract>>> {
  const contractLists = await Promise.all(
    SURFACES.map(async (surface) => {
      const names = [`${surface}.json`, `${surface}.openapi.json`];
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => null)));
      const text = texts.find((each) => each !== null);
      return text === undefined ? [] : [[surface, parseContract(folder, surface, text ?? '')] as const];
    }),
  );
  const contracts = contractLists.flat();
  if (contracts.length === 0) throw new UsageError(`${folder} has neither v2.json nor abilities.json.`);
  return Object.fromEntries(contracts);
}

function parseContract(folder: string, surface: Surface, text: string): ComparableContract {
  try {
    return JSON.parse(text) as ComparableContract;
  } catch {
    throw new UsageError(`The contract ${surface} in ${folder} is not JSON.`);
  }
}
