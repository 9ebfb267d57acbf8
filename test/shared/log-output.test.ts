import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
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
