import assert from 'node:assert/strict';
import { stat, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATIONS } from '../../src/sdk/index.ts';
import { createApiKey } from '../support/sdk.ts';
import { seedSite } from '../support/sites.ts';
import { startWorld, type World } from '../support/world.ts';
import { InstalledCli } from './support.ts';

// Runs on SQLite only: the test is about the client.

describe('client CLI', () => {
  let world: World;
  let command: InstalledCli;
  let key: string;

  before(async () => {
    [world, command] = await Promise.all([startWorld({ sites: 2 }), InstalledCli.build()]);
    key = await createApiKey(world);
    command.env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: key };
  });
  after(async () => {
    command.remove();
    await world.close();
  });

  it('when a site cannot fetch packages, then the check exits with code 1', async () => {
    const site = world.siteId(0);
    const { code, out } = await command.run(`sites check-packages ${site}`);
    assert.deepEqual([code, /can_fetch +(\w+)/.exec(out)?.[1]], [0, 'true']);
    const refusal = Buffer.from('{"error":"Not Found","error_code":"download_failed"}').toString('base64');
    const body = `<mainwp>${refusal}</mainwp>`;
    for (const line of [`sites check-packages ${site}`, `call sites_packages_check id_or_domain=${site}`]) {
      world.site(0).faultQueue.push({ kind: 'raw', status: 200, body, function: 'installplugintheme' });
      assert.equal((await command.run(line)).code, 1, line);
    }
    assert.equal((await command.run('sites check-packages 4711')).code, 3);
  });

  it('when lists are printed, then they are plain tables without colors', async () => {
    const { code, out, err } = await command.run('sites list');
    assert.deepEqual([code, err], [0, '']);
    const [head, first] = out.split('\n');
    assert.match(head ?? '', /^ID +NAME +URL +STATUS$/);
    assert.ok(first?.includes(world.site(0).url), out);
    assert.ok(!out.includes('\u001b') && !out.includes('\r'));
    const { out: none } = await command.run('clients list --timeout 3600');
    assert.equal(none, 'Nothing.\n');
  });

  it('when --json is given, then the output is JSON and --limit applies', async () => {
    const sites = await command.json<{ id: number }[]>('sites list --limit 1');
    assert.deepEqual(
      sites.map(({ id }) => id),
      [world.siteId(0)],
    );
    const site = await command.json<{ id: number; stats: object }>(`sites get ${world.siteId(1)}`);
    assert.equal(site.id, world.siteId(1));
    assert.ok(site.stats);
    assert.equal((await command.json<{ sites_connected: number }>('status')).sites_connected, 2);
  });

  it('when the caller is shown, then its user, permissions and limits are those of the service', async () => {
    const { out } = await command.run('me');
    const { data } = (
      await world.request('GET', '/api/v2/me', { as: 'nobody', headers: { authorization: `Bearer ${key}` } })
    ).body;
    const shown = await command.json<typeof data>('me');
    assert.deepEqual(
      { ...shown, credential: { ...shown.credential, last_used_at: null } },
      {
        ...data,
        credential: { ...data.credential, last_used_at: null },
      },
    );
    for (const [name, value] of [
      ['user', 'admin'],
      ['permissions', data.permissions.join(', ')],
      ['hint', data.credential.hint],
      ['sites', 'all'],
      ['rate_limit', 'none'],
    ])
      assert.match(out, new RegExp(`^${name} +${value}$`, 'm'));
  });

  it('when an update is run, then it is no longer listed', async () => {
    await command.run('sites sync --all');
    const site = world.siteId(0);
    const [update] = await command.json<{ slug: string }[]>(`updates list --site ${site} --type plugins`);
    assert.ok(update);
    const { code, out } = await command.run(`updates run --site ${site} --type plugins --item ${update.slug}`);
    assert.equal(code, 0, out);
    assert.match(out, /^UPDATED +TYPE +SLUG/);
    const left = await command.json<{ slug: string }[]>(`updates list --site ${site} --type plugins`);
    assert.ok(!left.some(({ slug }) => slug === update.slug));
    assert.match((await command.run(`plugins list ${site}`)).out, /^SLUG +VERSION +ACTIVE +UPDATE/);
  });

  it('when items fail, then they are printed and the exit code is 1 for the call, its job and a retry', async () => {
    world.site(1).fault = { kind: 'refuse' };
    const { code, out } = await command.run('sites sync --all');
    assert.equal(code, 1);
    assert.match(out, /Synced 1 sites\.\nFAILED +CODE +MESSAGE\n.*svc_site_unreachable/);
    const [job] = await command.json<{ job_id: string }[]>('jobs list --limit 1');
    assert.ok(job);
    const watched = await command.run(`jobs watch ${job.job_id}`);
    assert.equal(watched.code, 1);
    assert.match(watched.out, /completed: 1 of 2 succeeded, 1 failed\.\nFAILED/);
    assert.equal(watched.err, '', 'no bar where nobody looks');
    world.site(1).fault = null;
    const retried = await command.run(`jobs retry ${job.job_id}`);
    assert.equal(retried.code, 0, retried.out + retried.err);
    assert.match(retried.out, /completed: 1 of 1 succeeded\.\n$/);
  });

  it('when a response says that something failed, then the exit code is 1, and otherwise 0', async () => {
    const [well, down] = world.siteIds;
    const batch = (site: unknown) => ({ input: JSON.stringify({ sites: { sync: [site] } }) });
    const codeOf = async (line: string, options: { input?: string } = {}): Promise<number | null> =>
      (await command.run(line, options)).code;
    world.site(1).fault = { kind: 'refuse' };
    try {
      for (const [line, code] of [
        [`sites check ${well}`, 0],
        [`sites check ${well} ${down}`, 1],
        [`call check-site-v1 site_id_or_domain=${down}`, 1],
        [`call check-sites-v1 site_ids_or_domains=${well}`, 0],
        [`call check-sites-v1 site_ids_or_domains=${well},${down}`, 1],
        [`call sites_check id_or_domain=${down}`, 1],
        [`call sites_check_all include=${down}`, 1],
        [`call sync-sites-v1 site_ids_or_domains=${well}`, 0],
        [`call sync-sites-v1 site_ids_or_domains=${down} --json`, 1],
        [`call sites_get id_or_domain=${down}`, 0],
      ] as const)
        assert.equal(await codeOf(line), code, line);
      assert.equal(await codeOf('call batch_run --json-input -', batch(well)), 0);
      assert.equal(await codeOf('call batch_run --json-input -', batch(4711)), 1);
    } finally {
      world.site(1).fault = null;
    }
  });

  it('when the check of sites is a job, then sites that do not respond are listed and the exit code is 1', async () => {
    const large = await startWorld({ sites: 1 });
    try {
      for (let site = 0; site < 201; site++) await seedSite(large);
      await large.container.database
        .knex('sites')
        .whereNot('id', large.siteId(0))
        .update({ url: 'http://127.0.0.1:1/' });
      command.env = { SITEFLEET_URL: large.url, SITEFLEET_KEY: await createApiKey(large) };
      const { code, out, err } = await command.run('sites check --all');
      assert.match(out, /^Job check_\S+ \(check\) completed: 202 of 202 succeeded\.\nNOT REACHABLE +STATUS +MS\n/, err);
      assert.equal(out.trimEnd().split('\n').length, 2 + 201);
      assert.ok(!out.includes(large.site(0).url), 'a site that responds');
      assert.equal(code, 1);
      assert.equal((await command.run('call check-sites-v1 --follow --json')).code, 1);
    } finally {
      command.env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: key };
      await large.close();
    }
  });

  it('when a field is a text, then a value that looks like a number or JSON is sent as text', async () => {
    for (const name of ['123', 'true', '1.10', 'null', '{"a":1}']) {
      const added = await command.json<{ name: string }>(`call add-tag-v1 name=${name}`);
      assert.equal(added.name, name);
    }
    const { data } = await command.json<{ data: { id: number; name: string } }>('call tags_add name=2026');
    assert.equal(data.name, '2026');
  });

  it('when a field of a form is a file, then @ names the file', async () => {
    const file = join(command.home, 'users.csv');
    await writeFile(file, `ann,ann@example.com,Ann,Lee,,,1,editor,${world.site(0).url},\n`);
    const { code, out, err } = await command.run(`call users_import csv_file=@${file} has_header=false`);
    assert.deepEqual([code, err], [0, ''], out);
    assert.match(out, /1 of 1 rows succeeded/);
    const missing = await command.run(`call users_import csv_file=@${file}.none`);
    assert.deepEqual([missing.code, /users\.csv\.none cannot be read/.test(missing.err)], [2, true]);
  });

  it('when any operation is called, then each field is sent where the contract has it', async () => {
    const added = await command.json<{ data: { id: number; name: string } }>('call tags_add name=shops color=#0a5');
    assert.equal(added.data.name, 'shops');
    const shown = await command.json<{ data: { name: string } }>(`call tags_get tag_id=${added.data.id}`);
    assert.equal(shown.data.name, 'shops');
    const page = await command.json<{ per_page: number; items: object[] }>('call list-sites-v1 per_page=1');
    assert.deepEqual([page.per_page, page.items.length], [1, 1]);
    const input = JSON.stringify({ sites: { sync: [world.siteId(0)] } });
    const batch = await command.run('call batch_run --json-input - --json', { input });
    assert.equal(batch.code, 0, batch.err);
    assert.equal((JSON.parse(batch.out) as { sites: { sync: { success: number }[] } }).sites.sync[0]?.success, 1);
  });

  it('when operations are listed, then all are printed, and words filter the list', async () => {
    const all = await command.json<{ id: string }[]>('operations');
    assert.equal(all.length, OPERATIONS.length);
    const { out } = await command.run('operations tag add');
    assert.match(out, /add-tag-v1 .*\n(.*\n)*tags_add /);
    assert.match((await command.run('call tags-add')).err, /There is no operation "tags-add"/);
  });

  it('when the command is invalid, then the exit code is 2 and no request is sent', async () => {
    for (const line of [
      ...['nonsense', 'sites', 'sites nonsense', 'sites sync', 'sites get', 'sites list --limit none', 'updates run'],
      ...['call nothing', 'call sites_get', 'call list-sites-v1 page', 'sites list --profile none', 'completion tcsh'],
      'sites list --url ftp://fleet.example',
    ]) {
      const { code, err } = await command.run(line);
      assert.equal(code, 2, `${line}: ${err}`);
      assert.notEqual(err, '', line);
    }
    for (const [line, message] of [
      ['sites list --limit none', /^option '--limit <number>' argument 'none' is invalid/],
      ['sites', /^unknown option '--json'/],
      ['sites sync', /^Name at least one site/],
    ] as const) {
      const { err } = await command.run(`${line} --json`);
      const report = JSON.parse(err) as { code: string; message: string };
      assert.deepEqual([report.code, message.test(report.message)], ['usage', true], err);
    }
    const env = { SITEFLEET_KEY: '', SITEFLEET_URL: world.url };
    assert.match((await command.run('sites list', { env })).err, /There is no API key for/);
  });

  it('when the service returns an error, then the exit code is 3 and the output has its code', async () => {
    const wrong = await command.run('sites list', { env: { SITEFLEET_KEY: 'wrong' } });
    assert.deepEqual([wrong.code, wrong.out], [3, '']);
    assert.match(wrong.err, /\(svc_unauthenticated\)/);
    const unknown = await command.run('sites get 4711 --json');
    assert.equal(unknown.code, 3);
    assert.equal((JSON.parse(unknown.err) as { code: string }).code, 'svc_site_not_found');
    const bad = await command.run('call list-sites-v1 per_page=none');
    assert.equal(bad.code, 3);
    assert.equal(bad.err.split('input.per_page').length, 2, 'each error is printed once');
    const { err } = await command.run('call tags_add color=none --json');
    const { code, data, request_id } = JSON.parse(err) as Record<string, unknown>;
    const answer = await world.request('POST', '/api/v2/tags/add', { body: { color: 'none' }, expect: 400 });
    assert.deepEqual({ code, data }, { code: answer.body.code, data: answer.body.data });
    assert.match(String(request_id), /^[0-9a-f-]{36}$/);
  });

  it('when the service cannot be reached, then the exit code is 4', async () => {
    const env = { SITEFLEET_URL: 'http://127.0.0.1:1' };
    const { code, err } = await command.run('status --timeout 5', { env });
    assert.equal(code, 4, err);
    assert.match(err, /did not answer/);
  });

  it('when help is requested, then every command has it', async () => {
    for (const line of ['', 'sites', 'sites sync', 'updates run', 'jobs watch', 'call', 'profiles add', 'operations']) {
      const { code, out } = await command.run(`${line} --help`);
      assert.deepEqual([code, out.includes('Usage: sitefleet')], [0, true], line);
    }
    assert.match((await command.run('completion bash')).out, /complete -F _sitefleet sitefleet/);
  });

  describe('with profiles', () => {
    const env = { SITEFLEET_URL: '', SITEFLEET_KEY: '' };
    const file = (): string => join(command.home, '.config', 'sitefleet', 'config.json');
    const plainRun = (line: string, input?: string) =>
      command.run(line, { env, ...(input !== undefined && { input }) });

    it('when a profile is added, then its key is readable only for the owner, and commands use it', async () => {
      const added = await plainRun(`profiles add work --url ${world.url}/`, `${key}\n`);
      assert.deepEqual([added.code, added.err], [0, '']);
      assert.equal((await stat(file())).mode & 0o777, 0o600);
      assert.doesNotMatch(added.out + (await plainRun('profiles list --json')).out, new RegExp(key));
      assert.equal((await plainRun('sites list')).code, 0);
      assert.equal((await plainRun('sites list --profile work')).code, 0);
    });

    it('when another service is named, then the key of the profile is not sent', async () => {
      const { code, err } = await plainRun('sites list --url http://127.0.0.1:1');
      assert.deepEqual([code, /There is no API key for/.test(err)], [2, true]);
    });

    it('when the environment has a key, then it takes precedence', async () => {
      const { code } = await command.run('sites list', { env: { ...env, SITEFLEET_KEY: 'wrong' } });
      assert.equal(code, 3);
    });

    it('when others can read the profile file, then a warning is printed', async () => {
      await chmod(file(), 0o644);
      const { code, err } = await plainRun('sites list');
      assert.deepEqual([code, /Other users can read/.test(err)], [0, true]);
      await plainRun('profiles use work');
      assert.equal((await stat(file())).mode & 0o777, 0o600);
    });

    it('when a profile is removed, then commands fail, and a malformed file is reported', async () => {
      assert.equal((await plainRun('profiles remove work')).code, 0);
      assert.equal((await plainRun('profiles use work')).code, 2);
      assert.equal((await plainRun('sites list')).code, 2);
      await writeFile(file(), 'no JSON');
      assert.match((await plainRun('profiles list')).err, /is not a valid profile file/);
    });
  });
});
