import assert from 'node:assert/strict';
import { syncSites } from '../support/sites.ts';
import { createTag } from '../support/tags.ts';
import { setPins } from '../support/pins.ts';
import { createApiKey } from '../support/sdk.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates } from '../support/updates.ts';
import { startWorld, type World } from '../support/world.ts';
import { InstalledCli, respondJson, runCommand } from './support.ts';

// Runs on SQLite only: the test is about the client.

describe('client CLI with updates by rings', () => {
  let world: World;
  let command: InstalledCli;
  let all: string;

  before(async () => {
    [world, command] = await Promise.all([
      startWorld({ sites: 5, overrides: { deadlines: { lookAgainMs: [50] } } }),
      InstalledCli.build(),
    ]);
    command.env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: await createApiKey(world) };
    await createTag(world, 'canary', world.siteId(4));
    all = world.siteIds.join(',');
  });
  after(async () => {
    command.remove();
    await world.close();
  });
  beforeEach(async () => {
    for (const site of world.fleet.sites) {
      site.defects.breakingPage.clear();
      site.fault = null;
      removeItemsWithUpdates(site);
      site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
      releaseUpdates(site, { plugins: [ALPHA] });
    }
    await syncSites(world);
  });

  const installed = (): number =>
    world.fleet.sites.filter(({ state }) => state.plugins.get(ALPHA)?.version !== '1.0.0').length;

  it('when --help is read, then it names the dry run, the rings, the limits and the commands that follow a job', async () => {
    const { out } = await command.run('--help');
    assert.match(out, /updates run --all --rings canary,25% --dry-run/);
    const { out: run } = await command.run('updates run --help');
    for (const word of [
      '--dry-run',
      '--rings',
      '--stop-after-broken',
      '--stop-after-failed',
      'jobs watch',
      'why the run',
    ])
      assert.ok(run.includes(word), word);
  });

  it('when an update by rings is a dry run, then it shows sites, updates and rings, and installs nothing', async () => {
    const { code, out, err } = await command.run(
      `updates run --site ${all} --rings canary,50% --type plugin --dry-run`,
    );
    assert.deepEqual([code, err], [0, '']);
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^RING +SITE +ADDRESS +TYPE +SLUG +FROM +TO +GUARD$/);
    assert.match(lines[1] ?? '', new RegExp(`^canary +${world.siteId(4)} +${world.site(4).url} +plugin +${ALPHA} `));
    assert.deepEqual(
      lines.slice(1, 6).map((line) => line.split(' ')[0]),
      ['canary', '50%', '50%', '50%', 'rest'],
    );
    assert.equal(
      lines[6],
      '5 updates on 5 sites would be installed: canary (1), then 50% (3), then rest (1). ' +
        'This was a dry run: nothing was installed.',
    );
    assert.equal(installed(), 0);
    const plan = await command.json<{ data: object[]; total: number }>(`updates run --all --type core --dry-run`);
    assert.deepEqual([plan.data, plan.total], [[], 0]);
  });

  it('when updates are outside of a pin, then the dry run counts them', async () => {
    const site = world.siteId(0);
    releaseUpdates(world.site(0), { plugins: [BETA] });
    await syncSites(world, site);
    const [pin] = (await setPins(world, { slug: BETA, version: '1.x', websites: [site] })).data;
    const hint = (options: string): string =>
      `1 update is left out: ignored or outside of a pin. To see them, run: sitefleet updates left-out${options}\n`;
    const lastLine = async (line: string): Promise<string> => {
      const { out } = await command.run(line);
      return `${out.trimEnd().split('\n').at(-1)}\n`;
    };
    assert.equal(await lastLine(`updates run --site ${site} --dry-run`), hint(` --site ${site}`));
    assert.equal(await lastLine(`updates run --site ${site} --item ${BETA}`), hint(` --site ${site}`));
    assert.equal(await lastLine('updates list --type plugin'), hint(' --type plugins'));
    assert.equal(await lastLine(`updates list --site ${world.site(0).url}`), hint(` --site ${world.site(0).url}`));
    const { out: none } = await command.run(`updates list --site ${world.siteId(1)}`);
    assert.ok(!none.includes('left out'), none);
    const { out } = await command.run(`updates left-out --site ${site}`);
    assert.match(out, new RegExp(`\\n${site} .* plugin +${BETA} .* outside of the pin 1\\.x`));
    const items = await command.json<{ slug: string }[]>('updates left-out');
    assert.deepEqual(
      items.map(({ slug }) => slug),
      [BETA],
    );
    await world.request('DELETE', `/api/v2/pins/${pin?.pin_id}`);
  });

  it('when very many sites are named, or the left-out updates cannot be counted, then the run starts', async () => {
    for (const [sites, isCounted] of [
      [2_000, false],
      [200, true],
    ] as const) {
      const paths: string[] = [];
      const words = Array.from({ length: sites }, (_, index) => index + 1).join(',');
      const { code, err } = await runCommand(`updates run --site ${words}`, {
        respond: (response, _attempt, { url = '' }) => {
          paths.push(new URL(url, 'http://service').pathname);
          if (paths.at(-1)?.endsWith('/run')) respondJson(response, { updated: [], errors: [] });
          else response.writeHead(431).end();
        },
      });
      assert.deepEqual([code, err], [0, '']);
      assert.equal(paths.includes('/api/v2/updates/left-out'), isCounted);
      assert.ok(paths.includes('/abilities/v1/svc/run-updates-v1/run'));
    }
  });

  it('when more sites are named than fit into a URL, then the dry run and left-out send several requests', async () => {
    const words = Array.from({ length: 1_200 }, (_, index) => index + 1).join(',');
    const answer = (name: string, path: string, empty: object) => {
      const asked: number[] = [];
      const lengths: number[] = [];
      const outcome = runCommand(`updates ${path}`, {
        respond: (response, _attempt, { url = '' }) => {
          lengths.push(url.length);
          const { searchParams, pathname } = new URL(url, 'http://service');
          const ids = (searchParams.get(name) ?? '').split(',').filter(Boolean).map(Number);
          if (pathname.endsWith('/plan') || ids.length > 0) asked.push(...ids);
          const update = { type: 'plugin', slug: ALPHA, name: 'Alpha', current_version: '1', new_version: '2' };
          const of = (id: number) => ({ site_id: id, site_url: `https://${id}.example/`, message: 'Ignored.' });
          const data = [ids[0] ?? 0].map((id) => ({ ...of(id), ...update, updates: [update], errors: [] }));
          respondJson(response, { success: 1, data, total: 1, page: 1, per_page: 100, pages: 1, ...empty });
        },
      });
      return { asked, lengths, outcome };
    };
    const expected = Array.from({ length: 1_200 }, (_, index) => index + 1);
    const summary = { core: 0, plugins: 1, themes: 0, translations: 0, total: 1 };
    const plan = answer('websites', `run --site ${words} --dry-run`, { summary, rings: [], errors: [] });
    const { code, out } = await plan.outcome;
    assert.equal(code, 0);
    assert.deepEqual(plan.asked, expected);
    assert.ok(Math.max(...plan.lengths) < 8_000);
    assert.match(out, new RegExp(`${plan.lengths.length} updates on ${plan.lengths.length} sites would be installed`));
    assert.ok(plan.lengths.length > 1);

    const leftOut = answer('include', `left-out --site ${words}`, { summary });
    assert.equal((await leftOut.outcome).code, 0);
    assert.deepEqual(leftOut.asked, expected);
    assert.ok(Math.max(...leftOut.lengths) < 8_000);

    const rings = answer('websites', `run --site ${words} --rings 20% --dry-run`, { summary, rings: [], errors: [] });
    const refused = await rings.outcome;
    assert.equal(refused.code, 2);
    assert.match(refused.err, /A dry run by rings can name about 500 of these 1200 sites\. Name fewer sites, or pass/);
    assert.deepEqual(rings.asked, []);
  });

  it('when a named site is unknown, then the dry run lists it and exits with code 1', async () => {
    const { code, out } = await command.run(`updates run --site ${world.siteId(0)},no.example --dry-run`);
    assert.equal(code, 1);
    assert.match(out, /nothing was installed\.\nFAILED +CODE +MESSAGE\nno\.example +svc_site_not_found/);
  });

  it('when a ring breaks, then the command waits and shows the rings, the site and why the run stopped', async () => {
    world.site(4).defects.breakingPage.set(ALPHA, 500);
    const { code, out } = await command.run(`updates run --all --rings canary,50%`);
    assert.equal(code, 1, out);
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^Job update_\S+ \(update\) failed: \d of 5 succeeded.*, 4 not begun\.$/);
    assert.equal(
      lines[1],
      'Stopped: After the updates, 1 site is broken by the end of the ring canary, and the run stops at 1.',
    );
    assert.match(lines[2] ?? '', /^RING +STATE +SITES +INSTALLED +FAILED +BROKEN +UNKNOWN$/);
    assert.match(lines[3] ?? '', /^canary +broken +1 +1 +0 +1 +0$/);
    assert.match(lines[4] ?? '', /^50% +not begun +3 +0/);
    assert.match(out, new RegExp(`FAILED +CODE +MESSAGE\\n${world.siteId(4)} +svc_site_refused`));
    assert.ok(!out.includes('svc_ring_stopped'), 'sites that did not start are a number');
    assert.equal(installed(), 1);
    const [job] = await command.json<{ job_id: string }[]>('jobs list --limit 1');
    const shown = await command.run(`jobs get ${job?.job_id}`);
    assert.match(shown.out, /^stop_reason +After the updates, 1 site is broken/m);
    assert.match(shown.out, /^canary +broken +1 /m);
    assert.equal(shown.code, 1);
    assert.match(shown.out, /^ITEM +RING +STATE +CODE +ERROR$/m);
    assert.match(
      shown.out,
      new RegExp(`^${world.siteId(4)} +canary +\\S+ +svc_site_refused +The update is installed`, 'm'),
    );
    assert.match(shown.out, new RegExp(`^${world.siteId(0)} +50% +not begun +svc_ring_stopped`, 'm'));
    const part = await command.run(`jobs get ${job?.job_id} --limit 2`);
    assert.match(part.out, /^3 more items\. To see them, pass --limit 5\.$/m);
    const { out: jobs } = await command.run('jobs list --type update --limit 1');
    assert.match(
      jobs,
      /^JOB +STATUS +DONE +SUCCEEDED +FAILED +OTHER +CREATED\nupdate_\S+ +failed +5 of 5 +0 +0 +1 partial, 4 not begun /,
    );
    const { out: site } = await command.run(`sites get ${world.siteId(4)}`);
    assert.match(
      site,
      new RegExp(`^broken_by_update +plugin ${ALPHA} 1\\.0\\.0 to \\S+; home_page 200 before, 500 since 20`, 'm'),
    );
    const { out: well } = await command.run(`sites get ${world.siteId(0)}`);
    assert.match(well, /^broken_by_update +-$/m);
  });

  it('when every ring passes, then the exit code is 0 and each ring is shown as passed', async () => {
    const limits = '--stop-after-broken 2 --stop-after-failed 50%';
    const { code, out } = await command.run(`updates run --site ${all} --rings 20%,40% --type plugin,themes ${limits}`);
    assert.equal(code, 0, out);
    assert.match(out, /completed: 5 of 5 succeeded\.\nRING/);
    assert.deepEqual(
      [...out.matchAll(/^(\S+) +passed +(\d)/gm)].map(([, name, sites]) => [name, sites]),
      [
        ['20%', '1'],
        ['40%', '2'],
        ['rest', '2'],
      ],
    );
    assert.equal(installed(), 5);
  });

  it('when a called operation queues a job, then --follow waits for it, and without --follow the job is printed', async () => {
    const field = '--json-input -';
    const input = JSON.stringify({ rings: ['canary'] });
    for (const site of world.fleet.sites) releaseUpdates(site, { plugins: [BETA] });
    await syncSites(world);
    const followed = await command.run(`call run-updates-v1 ${field} --follow`, { input });
    assert.equal(followed.code, 0, followed.out);
    assert.match(followed.out, /^Job update_\S+ \(update\) completed: 5 of 5 succeeded\.\nRING/);
    world.site(3).fault = { kind: 'refuse' };
    const sync = await command.run('call sites_sync_all --follow');
    assert.equal(sync.code, 1, 'a result without a job counts as well');
    const [{ job_id } = { job_id: '' }] = await command.json<{ job_id: string }[]>('jobs list --limit 1');
    const retried = await command.run(`call jobs_retry_failed job_id=${job_id} --follow`);
    assert.equal(retried.code, 1);
    assert.match(retried.out, /failed: 0 of 1 succeeded, 1 failed\.\nFAILED/);
    world.site(3).fault = null;
    const queued = await command.run(`call jobs_retry_failed job_id=${job_id}`);
    assert.deepEqual([queued.code, queued.out.includes('sync_')], [0, true], queued.out);
    const plain = await command.run('call count-sites-v1 --follow');
    assert.match(plain.out, /^total +5$/m);
  });

  it('when options are wrong, then the exit code is 2 and names what is allowed', async () => {
    for (const [options, message] of [
      ['--all --type plugs', /The types are core, plugins, themes and translations/],
      ['--all --stop-after-broken 2', /only together with --rings/],
      ['--all --rings 10% --stop-after-failed 200%', /whole number/],
      ['--rings 10% --dry-run', /--site or pass --all/],
      ['--all --rings 0%', /The ring 0% must be a whole percentage from 1% to 100%/],
      ['--all --rings canary,101%', /The ring 101% must be a whole percentage/],
      ['--all --rings 20%,50% --rings 20%', /The ring 20% is given twice/],
      ['--all --rings canary,', /must not be empty/],
    ] as const) {
      const { code, err } = await command.run(`updates run ${options}`);
      assert.equal(code, 2, options);
      assert.match(err, message);
    }
    const unknown = await command.run('updates run --all --rings nobody --dry-run');
    assert.deepEqual([unknown.code, /must contain only tags and percentages, not nobody/.test(unknown.err)], [3, true]);
    const site = `--site ${world.siteId(0)}`;
    const unmatched = await command.run(`updates run ${site} --item alpha --dry-run`);
    assert.match(unmatched.out, /^No update would be installed for alpha\. For slugs, run: sitefleet updates list$/m);
    assert.equal((await command.json<object[]>(`updates list ${site} --type plugin`)).length, 1);
  });
});
