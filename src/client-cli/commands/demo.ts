import type { Command as Commander } from 'commander';
import type { DemoOptions } from '../../demo/main.ts';
import type { CliEnvironment } from '../cli-environment.ts';
import { UsageError } from '../exit-codes.ts';
import { parseCount, parsePort } from '../options.ts';

interface Demo {
  runDemo: (options: DemoOptions) => Promise<void>;
}

interface DemoCommandOptions {
  sites?: number;
  port: number;
  seed: number;
  faults: boolean;
}

/** Default number of sites. With faults, it is lower, so that the demo starts sooner. */
const [SITES, SITES_WITH_FAULTS] = [25, 10];

/** The command calls no other service and uses no profile, so it does not have the common options, such as `--url`. */
export function demoCommand(program: Commander, { out, env, signal }: CliEnvironment): void {
  program
    .command('demo')
    .description('run a service with a simulated fleet, to try it or to test a program; Ctrl-C deletes its data')
    .option('--faults', 'plant faults: a site that is down, updates that fail or break, slow answers', false)
    .option('--sites <number>', `number of sites (default: ${SITES}, with --faults ${SITES_WITH_FAULTS})`, parseCount)
    .option('--port <number>', 'port on 127.0.0.1; 0 takes a free one', parsePort, Number(env['PORT'] ?? 8080))
    .option('--seed <number>', 'the same number makes the same sites', parseCount, 1)
    .action(async ({ sites, port, seed, faults }: DemoCommandOptions) => {
      const { runDemo } = await loadDemo();
      const number = sites ?? (faults ? SITES_WITH_FAULTS : SITES);
      await runDemo({ ...{ port, seed, faults, env, signal }, sites: number, print: (text) => out.write(`${text}\n`) });
    });
}

async function loadDemo(): Promise<Demo> {
  const file = new URL(import.meta.url.endsWith('.ts') ? '../../demo/main.ts' : '../../demo/main.js', import.meta.url);
  try {
    return (await import(file.href)) as Demo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('The demo is part of the package of the service (sitefleet), not of the SDK.');
  }
}
