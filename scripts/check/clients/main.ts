/**
 * Generates clients of both surfaces with many generators, compiles them, and runs the same program with each against a
 * service with a simulated fleet. Continues after a failure, and exits with 1 at the end. Skips a generator whose tools
 * are missing, and says so.
 *
 *   npx tsx scripts/check/clients/main.ts                          all generators
 *   npx tsx scripts/check/clients/main.ts python orval             some
 *   npx tsx scripts/check/clients/main.ts --write orval            also writes its row of the guide
 *   npx tsx scripts/check/clients/main.ts --documents <folder>     documents of another folder (default: generated)
 *   npx tsx scripts/check/clients/main.ts --out <folder>           keeps the clients
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { GeneratorChain, WorkFolders } from './chain.ts';
import { CHAINS } from './generators/index.ts';
import { runChain, type ChainOutcome } from './run-chain.ts';
import { removeTags, startService, type CheckedService } from './service.ts';
import { writeTable } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: 'generated' },
    out: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const WIDTH = Math.max(...CHAINS.map(({ name }) => name.length));
const report = ({ name }: GeneratorChain, text: string): void => console.log(`${name.padEnd(WIDTH)}  ${text}`);

const unknown = positionals.filter((word) => !CHAINS.some(({ name }) => name === word));
if (unknown.length > 0) {
  const names = CHAINS.map(({ name }) => name).join(', ');
  console.error(`There is no generator called ${unknown.join(' or ')}. These can be checked: ${names}.`);
  process.exitCode = 1;
} else await check(CHAINS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

async function check(chains: readonly GeneratorChain[]): Promise<void> {
  const folder = values.out === undefined ? await mkdtemp(join(tmpdir(), 'sitefleet-sdk-check-')) : resolve(values.out);
  const workOf = ({ name }: GeneratorChain): WorkFolders => ({
    documents: values.documents,
    folder: join(folder, name),
  });
  let service: CheckedService | undefined;
  const accessOf = async (): Promise<CheckedService> => {
    service ??= await startService();
    await removeTags(service);
    return service;
  };
  try {
    const outcomes: ChainOutcome[] = [];
    for (const chain of chains) {
      const outcome = await runChain(chain, workOf(chain), accessOf, report);
      if (outcome.failure !== null) report(chain, `FAILED: ${outcome.failure}`);
      outcomes.push(outcome);
    }
    for (const outcome of outcomes) await checkFurther(outcome, workOf(outcome.chain), accessOf);
    if (values.write) await writeTable(outcomes);
    summarize(outcomes);
  } finally {
    await service?.close();
    if (values.out === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the checks that change the fleet, after all programs have ended. */
async function checkFurther(
  outcome: ChainOutcome,
  work: WorkFolders,
  accessOf: () => Promise<CheckedService>,
): Promise<void> {
  const { chain, done } = outcome;
  if (!chain.check || !done.includes('compiled')) return;
  try {
    const service = await accessOf();
    const last = service.fleet.sites.at(-1);
    if (last) last.fault = { kind: 'refuse' };
    for (const line of (await chain.check(work, service)).split('\n')) report(chain, line);
  } catch (error) {
    outcome.failure = (error as Error).message;
    report(chain, `FAILED: ${outcome.failure}`);
  }
}

function summarize(outcomes: readonly ChainOutcome[]): void {
  const failed = outcomes.filter(({ failure }) => failure !== null).map(({ chain }) => chain.name);
  const skipped = outcomes.filter(({ missing }) => missing !== null);
  for (const { chain, missing } of skipped) console.log(`\n!!! ${chain.name} is SKIPPED. ${missing} !!!`);
  console.log(`\n${outcomes.length - failed.length - skipped.length} generators passed.`);
  if (failed.length === 0) return;
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
