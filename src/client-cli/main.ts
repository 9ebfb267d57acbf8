#!/usr/bin/env node
import { homedir } from 'node:os';
import { run } from './run.ts';
import type { Output } from './cli-environment.ts';

/** Version, which the build of the bundle inserts. Undefined if the program runs from sources. */
declare const SITEFLEET_VERSION: string | undefined;

const toOutput = (stream: NodeJS.WriteStream): Output => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY === true,
  columns: stream.columns,
});

// A program that reads the output, such as `head`, may close the pipe early. That is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

process.exitCode = await run(
  process.argv.slice(2),
  {
    env: process.env,
    platform: process.platform,
    home: homedir(),
    out: toOutput(process.stdout),
    err: toOutput(process.stderr),
    stdin: process.stdin,
    signal: interruption.signal,
  },
  typeof SITEFLEET_VERSION === 'string' ? SITEFLEET_VERSION : 'unbundled',
);
