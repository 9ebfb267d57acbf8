import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { countBrowsersOf, chromiumOrSkip, childProcessesOf } from '../../support/browsers.ts';
import { buildEntriesOnce } from '../../support/built-entry.ts';
import { reportPath } from '../../support/pro-reports.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

// Runs on SQLite only: the test is about the browser.

type Parsed = (error: Error | null, body: unknown) => void;

function bytesOf(response: unknown, done: Parsed): void {
  buffer(response as Readable).then(
    (bytes) => done(null, bytes),
    (error: Error) => done(error, null),
  );
}

describe('reports as PDF', function () {
  // Chromium starts within a second on an idle machine, but can need many seconds on a busy one.
  this.timeout(240_000);

  it('when there is no browser, then the error is 404 and explains the installation', async () => {
    const world = await startWorld({ sites: 1, env: { CHROME_PATH: '/nowhere/chromium' } });
    try {
      const path = reportPath(`pro-reports/${world.siteId(0)}`, { format: 'pdf' });
      const { body } = await world.request('GET', path, { expect: 404 });
      assert.equal(body.code, 'svc_module_not_available');
      assert.match(body.message, /apt install chromium; or set CHROME_PATH/);
    } finally {
      await world.close();
    }
  });

  it('when a caller disconnects in the queue, then its request leaves the queue', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitefleet-slow-'));
    const slow = join(folder, 'chromium');
    await writeFile(slow, '#!/bin/sh\nsleep 600\n', { mode: 0o700 });
    const world = await startWorld({
      sites: 1,
      env: { CHROME_PATH: slow },
      overrides: { browserProcesses: await buildEntriesOnce() },
    });
    const { printer } = world.container;
    try {
      const path = reportPath(`pro-reports/${world.siteId(0)}`, { format: 'pdf', segments: 'website' });
      const callers = Array.from({ length: printer.browsers + 2 }, () => world.agent().get(path));
      for (const caller of callers) caller.then(String, String);
      await until(() => printer.waiting === 2, 'two to wait');
      for (const caller of callers) caller.abort();
      await until(() => printer.waiting === 0, 'the queue to be empty');
    } finally {
      await world.close();
      await rm(folder, { recursive: true });
    }
  });

  it('when fifty PDFs are requested at once, then a limited number of browsers prints them', async function () {
    const world = await startWorld({
      sites: 1,
      env: { CHROME_PATH: await chromiumOrSkip(this) },
      overrides: { browserProcesses: await buildEntriesOnce() },
    });
    const { printer } = world.container;
    try {
      const path = reportPath(`pro-reports/${world.siteId(0)}`, { format: 'pdf', segments: 'website' });
      const counts: number[] = [];
      let answered = 0;
      const answers = Promise.all(
        Array.from({ length: 50 }, async () => {
          const answer = await world.agent().get(path).buffer(true).parse(bytesOf);
          answered += 1;
          return answer;
        }),
      );
      await until(() => counts.push(countBrowsersOf(process.pid)) > 0 && answered === 50, 'answers', 200_000);
      for (const { status, headers, body } of await answers) {
        assert.deepEqual([status, headers['content-type']], [200, 'application/pdf']);
        assert.match((body as Buffer).toString('latin1'), /^%PDF-[^]*\/Outlines /, 'with bookmarks');
        assert.match(String(headers['content-disposition']), /^inline; filename="report-[a-z0-9-]+\.pdf"$/);
      }
      const most = Math.max(...counts);
      assert.ok(most >= 1 && most <= printer.browsers, `${most} browsers`);
    } finally {
      await world.close();
    }
    assert.deepEqual(childProcessesOf(process.pid), [], 'nothing is left');
  });
});
