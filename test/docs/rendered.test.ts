import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GENERATED } from '../../src/surfaces/generated.ts';
import { startWorld, type World } from '../support/world.ts';

const BROWSER = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

/** The page as a browser has it after its scripts ran, with every name but the own address leading nowhere. */
async function render(url: string): Promise<{ dom: string; console: string }> {
  const profile = await mkdtemp(join(tmpdir(), 'sitefleet-browser-'));
  try {
    const { stdout, stderr } = await promisify(execFile)(
      BROWSER ?? '',
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
        '--enable-logging=stderr',
        `--user-data-dir=${profile}`,
        '--virtual-time-budget=10000',
        '--dump-dom',
        url,
      ],
      { maxBuffer: 64 << 20, timeout: 60_000 },
    );
    return {
      dom: stdout,
      console: stderr
        .split('\n')
        .filter((line) => line.includes(':CONSOLE'))
        .join('\n'),
    };
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

describe('the rendered docs in a browser', () => {
  let world: World;
  before(async function () {
    if (!BROWSER || !existsSync(join(GENERATED, 'docs', 'v2.html'))) {
      const missing = BROWSER ? 'the docs are not built (npm run build)' : 'no Chromium is installed';
      process.stderr.write(`\n!!! ${missing}: the browser tests of the docs are SKIPPED. !!!\n`);
      if (process.env['CI'] === 'true') throw new Error(missing);
      this.skip();
    }
    world = await startWorld();
  });
  after(() => world?.close());

  for (const [page, shown] of [
    ['abilities', ['Sitefleet abilities', 'Error codes']],
    ['abilities#error-codes', ['svc_site_not_found', 'svc_outcome_unknown']],
    ['abilities#sites', ['List sites', 'Suspend a site']],
    ['v2#jobs', ['Sitefleet REST v2', 'List jobs', 'Cancel a job']],
  ] as const)
    it(`when there is no network, then ${page} is shown without a complaint`, async () => {
      const { dom, console } = await render(`${world.url}/docs/${page}`);
      const text = dom.replace(/<script[\s\S]*?<\/script>/g, '');
      for (const words of shown) assert.ok(text.includes(words), `The page does not show ${words}.`);
      assert.doesNotMatch(console, /Refused to|Failed to load|Uncaught/);
    });
});
