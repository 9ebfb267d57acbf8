import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../../../src/contract-checks/index.ts';
import type { VerificationReport } from '../../../src/contract-checks/index.ts';
import { verify } from '../../../src/contract-checks/index.ts';
import { startChangingProxy, type ChangingProxy } from '../../support/changing-proxy.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { startWorld, type World } from '../../support/world.ts';
import { CONTRACT_VIOLATIONS } from './contract-violations.ts';
import { removeRequiredFields } from './missing-fields.ts';

// Runs on SQLite only: the test compares responses with the contract.

const known = { abilities: readContract('abilities'), v2: readContract('v2') };

const failedIn = ({ findings }: VerificationReport): Finding[] =>
  findings.filter(({ outcome }) => outcome === 'failed');

describe('contract kit', () => {
  let world: World;
  let proxy: ChangingProxy;
  let key: string;
  const lacking = removeRequiredFields();
  /** Number of edits of the e-mail settings between the next calls, and whether they change the content. */
  const edits = { left: 0, isVisible: true };
  let elapsed = 0;
  /** Number of tags that are added between the next calls. */
  let added = 0;

  before(async () => {
    world = await startWorld({ sites: 2 });
    proxy = await startChangingProxy(world.url, {
      lacking: lacking.change,
      growing: (call, { status, body }) => {
        if (call !== 'GET /api/v2/time-tracker' || status !== 200) return;
        elapsed += 60;
        for (const task of body.data) if ('elapsed_seconds' in task) task.elapsed_seconds += elapsed;
      },
      filling: (call, { status, body }) => {
        if (call !== 'GET /api/v2/tags' || status !== 200 || added === 0) return;
        body.total += added;
        for (let each = 0; each < added; each++) body.data.unshift({ ...body.data[0], id: 1000 + each });
        body.data.splice(Math.max(1, body.per_page));
        added += 1;
      },
      broken: (call, answer) => {
        for (const { change } of CONTRACT_VIOLATIONS) change(call, answer);
      },
      editing: (call, answer) => {
        if (call !== 'GET /api/v2/settings/emails' || answer.status !== 200 || edits.left-- <= 0) return;
        answer.headers['etag'] = `"edit-${edits.left}"`;
        if (edits.isVisible) answer.body.data.uptime.heading = `Heading ${edits.left}`;
      },
    });
    key = await createRecords(world);
  });
  after(async () => {
    await proxy.close();
    await world.close();
  });

  it('when a service follows its contract, then the kit passes and calls no site', async function () {
    this.timeout(120_000);
    const before = world.fleet.gauge.total;
    const report = await verify({ url: world.url, credentials: { key }, live: false, only: null, known });
    assert.deepEqual(failedIn(report), []);
    assert.equal(world.fleet.gauge.total, before);
    const answers = report.findings.filter(({ law, outcome }) => law === 'answers' && outcome === 'passed');
    const well = answers.filter(({ message }) => message.includes('200'));
    assert.ok(answers.length > 170 && well.length > 140, `${well.length} of ${answers.length} went well`);
    for (const law of ['paging', 'order', 'fields', 'tags of records', 'refusals', 'credentials', 'headers'])
      assert.ok(
        report.findings.some((each) => each.law === law && each.outcome === 'passed'),
        law,
      );
  });

  it('when the time of tasks grows between two calls, then their order still counts as right', async () => {
    const only = /^time_tracker_list$/;
    const report = await verify({ url: proxy.url('growing'), credentials: { key }, live: false, only });
    assert.deepEqual(failedIn(report), []);
    const orders = report.findings.filter(({ subject }) => subject === 'time_tracker_list elapsed_seconds');
    assert.deepEqual(
      orders.map(({ outcome }) => outcome),
      ['passed'],
    );
  });

  it('when a list grows from call to call, then its paging and order are skipped and not failed', async () => {
    added = 1;
    const report = await verify({ url: proxy.url('filling'), credentials: { key }, live: false, only: /^tags_list$/ });
    assert.deepEqual(
      failedIn(report).filter(({ law }) => law === 'paging' || law === 'order'),
      [],
    );
    const paging = report.findings.filter(({ law }) => law === 'paging');
    assert.deepEqual(
      paging.map(({ outcome, message }) => [outcome, message]),
      [['skipped', 'The list changes from call to call.']],
    );
  });

  it('when calls to sites are allowed, then these operations are checked too', async () => {
    const before = world.fleet.gauge.total;
    const report = await verify({ url: world.url, credentials: { key }, live: true, only: /^(posts|comments)_/ });
    assert.deepEqual(failedIn(report), []);
    assert.ok(world.fleet.gauge.total > before);
    assert.ok(report.findings.some(({ subject, outcome }) => subject === 'posts_list' && outcome === 'passed'));
  });

  describe('with a service that violates its contract', () => {
    let failed: Finding[];
    before(async function () {
      this.timeout(120_000);
      const subjects = CONTRACT_VIOLATIONS.map(({ subject }) => subject.split(' ')[0]).join('|');
      const only = new RegExp(`^(${subjects})$`);
      failed = failedIn(await verify({ url: proxy.url('broken'), credentials: { key }, live: false, only, known }));
    });

    for (const { when, law, subject, message } of CONTRACT_VIOLATIONS)
      it(`when ${when}, then the kit reports it for ${subject}`, () => {
        const found = failed.find((each) => each.law === law && each.subject === subject);
        assert.match(found?.message ?? `nothing; but ${JSON.stringify(failed.map((each) => each.subject))}`, message);
      });
  });

  it('when a required field is missing from a kind of record, then the kit reports each operation', async function () {
    this.timeout(120_000);
    const report = await verify({ url: proxy.url('lacking'), credentials: { key }, live: false, only: null, known });
    const failed = new Set(failedIn(report).flatMap(({ law, subject }) => (law === 'answers' ? [subject] : [])));
    assert.ok(lacking.changed.size > 40, `${lacking.changed.size} operations were changed`);
    assert.deepEqual([...lacking.changed].filter((id) => !failed.has(id)).sort(), []);
  });

  for (const [title, left, isVisible, outcome] of [
    // More edits than the calls of the other checks, and fewer than those of three attempts.
    ['changes between two calls', 5, true, 'passed'],
    ['changes from call to call', 100, true, 'skipped'],
    ['has a new tag each time for the same content', 100, false, 'failed'],
  ] as const)
    it(`when a record ${title}, then the check of its tag is ${outcome}`, async () => {
      Object.assign(edits, { left, isVisible });
      const only = /^settings_emails_get$/;
      const report = await verify({ url: proxy.url('editing'), credentials: { key }, live: false, only });
      const found = report.findings.filter(({ law }) => law === 'tags of records');
      assert.deepEqual([...new Set(found.map((each) => each.outcome))], [outcome]);
    }).timeout(120_000);

  describe('as a command', () => {
    let folder: string;
    before(async () => (folder = await mkdtemp(join(tmpdir(), 'sitefleet-verify-'))));
    after(() => rm(folder, { recursive: true, force: true }));

    const run = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
      new Promise((resolve) => {
        const all = ['--import=tsx', 'src/client-cli/main.ts', 'verify', '--against', 'generated', ...args];
        const env = { ...process.env, SITEFLEET_KEY: key };
        execFile(process.execPath, all, { env, maxBuffer: 1 << 24, timeout: 60_000 }, (error, out, err) =>
          resolve({ code: Number(error?.code ?? 0), out, err }),
        );
      });

    it('when the service follows its contract, then the command exits with 0 and writes a JUnit report', async () => {
      const junit = join(folder, 'report.xml');
      const { code, out, err } = await run('--url', world.url, '--only', '^tags_list$', '--junit', junit, '--json');
      assert.equal(code, 0, out + err);
      assert.ok((JSON.parse(out) as VerificationReport).findings.some(({ subject }) => subject === 'tags_list'));
      assert.match(await readFile(junit, 'utf8'), /<testsuite name="answers" tests="1" failures="0" skipped="0">/);
    });

    it('when the service violates its contract, then the command exits with 1 and names the operation', async () => {
      const { code, out } = await run('--url', proxy.url('broken'), '--only', '^clients_count$');
      assert.equal(code, 1);
      assert.match(out, /^answers +clients_count +clients_count answered 202/m);
      assert.match(out, /breaks its contract in \d+ place/);
    });

    it('when a field breaks the contract, then the report has one line with its path, and what was expected and got', async () => {
      const { code, out } = await run('--url', proxy.url('broken'), '--only', '^clients_list$');
      assert.equal(code, 1);
      const failures = out.split('\n').filter((line) => line.startsWith('answers '));
      assert.deepEqual(
        failures.map((line) => line.replaceAll(/ +/g, ' ')),
        [
          'answers clients_list /data/*/client_email: expected a value, got nothing (2 times)',
          'answers clients_list /data/*/mail: expected no such field, got "b@example.com" (2 times)',
        ],
      );
      assert.ok(!out.includes('"success"'), 'records are not printed');
      const json = await run('--url', proxy.url('broken'), '--only', '^clients_list$', '--json');
      const { findings } = JSON.parse(json.out) as VerificationReport;
      const found = findings.find(({ law, subject }) => law === 'answers' && subject === 'clients_list');
      assert.deepEqual(found?.violations?.[0], {
        path: '/data/*/client_email',
        expected: 'a value',
        got: 'nothing',
        places: 2,
      });
    });

    it('when no server is listening or the key is wrong, then the command exits with 4 or 3 and an error', async () => {
      const nobody = await run('--url', 'http://127.255.0.1:40404');
      assert.equal(nobody.code, 4);
      assert.match(nobody.err, /does not answer/);
      const right = key;
      key = 'nobody-has-this';
      const stranger = await run('--url', world.url).finally(() => (key = right));
      assert.equal(stranger.code, 3);
      assert.match(stranger.err, /refuses the credential with 401/);
    });

    it('when --only matches no operation that can be checked, then the command exits with 2 and names the pattern', async () => {
      // `tags_add` is an operation, but it changes something.
      for (const pattern of ['nothing_like_this', '^tags_add$']) {
        const { code, out, err } = await run('--url', world.url, '--only', pattern);
        assert.deepEqual([code, out], [2, ''], err);
        assert.ok(err.includes(`that matches ${pattern}.`), err);
      }
      const skipped = await run('--url', world.url, '--only', '^posts_list$');
      assert.equal(skipped.code, 0, 'an operation that calls sites is reported as skipped');
    });

    it('when the folder of known contracts has none, or the pattern is wrong, then the command exits with 2', async () => {
      for (const args of [
        ['--against', folder],
        ['--only', '('],
      ]) {
        const { code, err } = await run('--url', world.url, ...args);
        assert.equal(code, 2, err);
      }
    });
  });
});

/** Creates records for all lists. Returns a key that can read them. */
async function createRecords(world: World): Promise<string> {
  const send = async (path: string, body: object): Promise<{ id: number }> =>
    (await world.request('POST', `/api/v2${path}`, { body })).body.data;
  const sites = [world.siteId(0), world.siteId(1)];
  const client = await send('/clients/add', { name: 'Bakery', client_email: 'b@example.com', selected_sites: sites });
  await send('/clients/add', { name: 'Museum' });
  await send('/tags/add', { name: 'shops' });
  await send('/tags/add', { name: 'care' });
  await send('/costs/add', { name: 'Hosting', price: 5, sites });
  await send('/costs/add', { name: 'Domain', price: 9, sites });
  for (const title of ['Write', 'Answer', 'Mend'])
    await send('/time-tracker/tasks/add', { title, client_id: client.id });
  await world.ability('check-sites-v1');
  const { access } = world.container.services.access;
  const admin = await access.createUser({ name: 'kit', role: 'administrator' }, 'test');
  const key = { userId: admin.id, label: 'kit', scope: 'read_write', expiresAt: null } as const;
  return (await access.keys.create(key, 'test')).secret;
}
