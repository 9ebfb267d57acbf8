import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogOutput } from '../../src/shared/log-output.ts';

describe('log output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sitefleet-log-'));
  const file = join(folder, 'log');
  after(() => rmSync(folder, { recursive: true }));

  it('when lines are written, then all arrive in order, in batches, and the rest at the end', async () => {
    const fd = openSync(file, 'w');
    const output = new LogOutput(fd);
    const lines = Array.from({ length: 500 }, (_, index) => `{"line":${index}}\n`);
    for (const line of lines) {
      output.write(line);
      if (line.includes('50}')) await sleep(5);
    }
    await sleep(300);
    output.write('last\n');
    output.flushSync();
    assert.equal(readFileSync(file, 'utf8'), `${lines.join('')}last\n`);
    closeSync(fd);
  });

  it('when a slow reader has refused bytes before the exit, then they are written at the exit, before later lines', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    const output = new LogOutput(fd);
    const first = 'x'.repeat(200_000);
    const { write } = fs;
    // The pipe takes 64 KiB. The rest waits for the next attempt, which comes 50 ms later.
    const isRefused = new Promise<void>((resolve) => {
      const observed = (to: number, bytes: Buffer, done: (error: Error | null, written: number) => void): void =>
        write(to, bytes, (error, written) => {
          done(error, written);
          if (error) resolve();
        });
      fs.write = observed as typeof write;
    });
    syncBuiltinESMExports();
    output.write(`${first}\n`);
    output.flush();
    await isRefused;
    fs.write = write;
    syncBuiltinESMExports();
    output.write('last\n');
    const received: Buffer[] = [];
    const drain = (): void => {
      const bytes = Buffer.alloc(1_000_000);
      try {
        received.push(bytes.subarray(0, readSync(reader, bytes)));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      }
    };
    drain();
    // The reader takes 64 KiB between two attempts of the writer.
    const wait = Atomics.wait.bind(Atomics);
    Atomics.wait = ((...rest: Parameters<typeof wait>) => (drain(), wait(...rest))) as typeof Atomics.wait;
    try {
      output.flushSync();
    } finally {
      Atomics.wait = wait;
    }
    drain();
    assert.equal(Buffer.concat(received).toString(), `${first}\nlast\n`);
    closeSync(reader);
    closeSync(fd);
  });

  it('when the log cannot be written, then no error is thrown and later lines are dropped', async () => {
    // A read-only file fails like a pipe without a reader.
    const fd = openSync(file, 'r');
    const output = new LogOutput(fd);
    output.write('lost\n');
    output.flush();
    await sleep(50);
    output.write('lost too\n');
    output.flush();
    output.flushSync();
    closeSync(fd);
  });
});
