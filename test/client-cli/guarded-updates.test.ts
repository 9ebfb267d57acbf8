import assert from 'node:assert/strict';
import { freshGuardedSite, startGuardedWorld } from '../support/guarded-sites.ts';
import { ALPHA_FILE } from '../support/packages.ts';
import { createApiKey } from '../support/sdk.ts';
import { startChangingProxy, type ProxiedResponse } from '../support/changing-proxy.ts';
import { editSettings } from '../support/settings.ts';
import type { World } from '../support/world.ts';
import { InstalledCli } from './support.ts';

// Runs on SQLite only: the test is about the client.

describe('client CLI with guarded updates', () => {
  let world: World;
  let command: InstalledCli;
  let close: () => Promise<void>;

  before(async () => {
    [{ world, close }, command] = await Promise.all([startGuardedWorld(5), InstalledCli.build()]);
    command.env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: await createApiKey(world) };
  });
  after(async () => {
    command.remove();
    await close();
  });

  it('when a guarded update is put back or not begun, then the error is shown without a hint about its slug', async () => {
    const broken = await freshGuardedSite(world, {
      furnish: ({ defects }) => defects.breakingPage.set(ALPHA_FILE, 500),
    });
    const unguarded = await freshGuardedSite(world, { version: '1.1' });
    for (const [{ id }, code] of [
      [broken, 'svc_rolled_back'],
      [unguarded, 'svc_no_fallback'],
    ] as const) {
      const run = await command.run(`updates run --site ${id} --item ${ALPHA_FILE} --guard plain`);
      assert.equal(run.code, 1);
      assert.match(run.out, new RegExp(`^Nothing was updated\\.\\nFAILED.*\\n.*${code}`));
    }
    const { out } = await command.run(`updates run --site ${unguarded.id} --item ${ALPHA_FILE},x/x.php --guard plain`);
    assert.ok(!out.includes(`installed for ${ALPHA_FILE}.`), out);
  });

  it('when the setting skips an update in a run by rings, then the command lists it with the reason', async () => {
    const { id, site } = await freshGuardedSite(world, { version: '1.1' });
    await editSettings(world, 'general', { auto_update_unguarded: 'skip' });
    const { code, out } = await command.run(`updates run --site ${id} --rings 50%`);
    assert.equal(code, 0, out);
    assert.match(out, /^SKIPPED +TYPE +SLUG +CODE +REASON$/m);
    assert.match(out, new RegExp(`^${site.url} +plugin +${ALPHA_FILE} +svc_no_fallback +\\S`, 'm'));
  });

  it('when the details of an ended run cannot be read, then its outcome is shown, and decides the exit code', async () => {
    const refuse = (answer: ProxiedResponse): void => {
      answer.status = 403;
      answer.body = { code: 'svc_permission_denied', message: 'Not allowed.', data: { status: 403 } };
    };
    const proxy = await startChangingProxy(world.url, {
      items: (call, answer) => {
        if (call.startsWith('GET /api/v2/jobs/') && answer.query.get('per_page') === '100') refuse(answer);
      },
      all: (call, answer) => {
        if (/get-batch-job-status-v1/.test(call) || answer.query.get('per_page') === '100') refuse(answer);
      },
    });
    const env = (change: string) => ({ env: { SITEFLEET_URL: proxy.url(change) } });
    const well = await freshGuardedSite(world);
    const passed = await command.run(`updates run --site ${well.id} --rings 50%`, env('items'));
    assert.deepEqual([passed.code, passed.err], [0, 'The skipped updates could not be read: Not allowed.\n']);
    assert.match(passed.out, /completed/);
    const broken = await freshGuardedSite(world, {
      furnish: ({ defects }) => defects.breakingPage.set(ALPHA_FILE, 500),
    });
    const stopped = await command.run(`updates run --site ${broken.id} --rings 50%`, env('all'));
    await proxy.close();
    assert.equal(stopped.code, 1);
    assert.match(stopped.out, /1 site is broken/);
    assert.match(stopped.err, /skipped updates could not be read.*\nThe failed items could not be read/);
  });
});
