#!/usr/bin/env node
import { readConfig } from '../platform/config.ts';
import type { DatabaseTarget } from '../db/database.ts';
import { toStartupError } from '../db/startup-errors.ts';
import { createOperatorServices } from './operator-services.ts';
import { run } from './run.ts';

const WAIT_MS = 60_000;

let target: DatabaseTarget | null = null;

process.exitCode = await run(process.argv.slice(2), {
  // The log is silent, so that standard output contains only the result and `--json` can be piped. The commands report
  // errors themselves.
  open: async () => {
    const config = readConfig();
    // Statements wait up to 60 seconds for a busy database, or for the configured timeout if that is longer, because no
    // caller waits for a response.
    const database = { ...config.database, timeoutMs: Math.max(config.database.timeoutMs ?? 0, WAIT_MS) };
    target = database;
    return createOperatorServices({ ...config, database, logLevel: 'silent' });
  },
  explain: (error) => (target ? toStartupError(target, error) : error),
  columns: process.stdout.columns,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
