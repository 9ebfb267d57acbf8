import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expectedOutput, type ServiceAccess, type GeneratorChain, type Command, type WorkFolders } from './chain.ts';

export type Step = 'generated' | 'compiled' | 'program ran';

export interface ChainOutcome {
  chain: GeneratorChain;
  done: Step[];
  /** Reason why the chain ended early, or null. */
  failure: string | null;
  /** Sentence on what is missing, or null. */
  missing: string | null;
}

type Report = (chain: GeneratorChain, text: string) => void;

/** Runs all steps of a chain up to the first that fails. */
export async function runChain(
  chain: GeneratorChain,
  work: WorkFolders,
  accessOf: () => Promise<ServiceAccess>,
  report: Report,
): Promise<ChainOutcome> {
  const outcome: ChainOutcome = { chain, done: [], failure: null, missing: chain.missing() };
  if (outcome.missing) return outcome;
  const finish = (step: Step, started: number): void => {
    outcome.done.push(step);
    report(chain, `${step} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  };
  try {
    await rm(work.folder, { recursive: true, force: true });
    await mkdir(work.folder, { recursive: true });
    let started = Date.now();
    await chain.generate(work);
    finish('generated', started);
    if (!chain.compile) return outcome;
    started = Date.now();
    await chain.compile(work);
    finish('compiled', started);
    if (!chain.program) return outcome;
    const command = await chain.program(work);
    if (!command) return { ...outcome, missing: 'A module that the program needs is missing.' };
    const access = await accessOf();
    started = Date.now();
    await runProgram(command, access);
    finish('program ran', started);
    return outcome;
  } catch (error) {
    return { ...outcome, failure: (error as Error).message };
  }
}

async function runProgram({ command, args, cwd, env = process.env }: Command, access: ServiceAccess): Promise<void> {
  const { url, user, password, apiKey } = access;
  const { stdout } = await promisify(execFile)(command, args, {
    cwd,
    env: {
      ...env,
      SITEFLEET_URL: url,
      SITEFLEET_USER: user,
      SITEFLEET_PASSWORD: password,
      SITEFLEET_API_KEY: apiKey,
    },
  });
  const expected = expectedOutput(access.pdfBytes());
  if (stdout !== expected) throw new Error(`The program printed:\n${stdout}instead of:\n${expected}`);
}
