#!/usr/bin/env node
import { readConfig } from '../config.ts';
import { createCore } from '../core.ts';
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), {
  // Standard output belongs to the result, so that `--json` can be piped; what goes wrong is said by the command itself.
  open: async () => createCore({ ...readConfig(), logLevel: 'silent' }),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
