import assert from 'node:assert/strict';
import { counterColumns, UpdateRepository } from '../../../src/domains/updates/update-repository.ts';
import { editEmails, listMails, waitForMailState, FakeMailServer } from '../../support/mail.ts';
import { withoutModule } from '../../support/modules.ts';
import { editSettings, ManualClock, readSchedule, runDueAt } from '../../support/schedules.ts';
import { runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('daily digest', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  before(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    server = await new FakeMailServer().start();
    world = await startWorld({
      sites: 3,
      connect: 2,
      env: { SMTP_URL: server.url },
      overrides: { tickMs: null, clock },
    });
    await editEmails(world, 'daily_digest', { recipients: 'ops@example.com' });
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  /** Writes the digest and waits until it is sent. */
  const write = async (): Promise<void> => {
    const { body } = await world.request('POST', '/api/v2/schedules/daily-digest/run');
    if (body.data) await world.finishedJob(body.data.job_id);
  };

  /** Stores the updates of a site with their counters. */
  async function setUpdates(siteId: number, updates: readonly { type: string; slug: string; ignored: number }[]) {
    const { knex } = world.container.database;
    await knex('site_updates').where({ site_id: siteId }).delete();
    for (const update of updates)
      await knex('site_updates').insert({
        ...{ site_id: siteId, current_version: '1', new_version: '2', site_key: 'a', first_seen_at: clock.time },
        ...{ ...update, name: update.slug },
      });
    const counts = await new UpdateRepository(knex).counts(siteId);
    await knex('site_states').where({ site_id: siteId }).update(counterColumns(counts));
  }

  it('when no site needs attention, then no mail is written', async () => {
    const { knex } = world.container.database;
    await setUpdates(world.siteId(0), []);
    await setUpdates(world.siteId(1), []);
    await knex('site_abandoned').delete();
    await write();
    assert.deepEqual(await listMails(world), []);
  });

  it('when sites need attention, then the mail lists the reasons', async () => {
    const { knex } = world.container.database;
    const [first, second] = [world.siteId(0), world.siteId(1)];
    await setUpdates(first, [
      { type: 'plugin', slug: 'one/one.php', ignored: 0 },
      { type: 'plugin', slug: 'two/two.php', ignored: 0 },
      { type: 'plugin', slug: 'ignored/ignored.php', ignored: 1 },
      { type: 'translation', slug: 'de_DE', ignored: 0 },
    ]);
    await knex('sites').where({ id: second }).update({ status: 'disconnected', name: '<b>Second</b>' });
    await knex('site_states')
      .where({ site_id: first })
      .update({ sync_error_at: clock.time, sync_error_code: 'svc_site_unreachable', sync_error_message: 'Gone away.' });
    await editSettings(world, 'general', { date_format: 'Y-m-d' });
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => void statements.push(sql);
    knex.on('query', note);
    await write();
    knex.removeListener('query', note);
    // A fleet of 5,000 sites can have 75,000 updates, so that only the counters of the sites are read.
    assert.ok(statements.some((sql) => sql.includes('plugin_updates')));
    assert.ok(!statements.some((sql) => /from.+site_updates/.test(sql)));
    const [{ id }] = await listMails(world);
    const mail = await waitForMailState(world, id, 'sent');
    assert.equal(mail.subject, 'Daily digest: 3 updates, 1 disconnected, 1 failing sync');
    assert.match(mail.text, /On 2026-11-22, the fleet needs attention/);
    assert.match(mail.text, /== Updates waiting: 3 ==[\s\S]*- Waiting: 2 plugins, 1 translation\n/);
    assert.match(mail.text, /Cause: Gone away\./);
    assert.match(mail.html, /&lt;b&gt;Second&lt;\/b&gt;/);
  });

  it('when a site is down, then the mail has time and cause, until its monitor is paused', async () => {
    await editSettings(world, 'general', { date_format: 'Y-m-d', time_format: 'H:i' });
    await monitorAllSites(world, { maxretries: 0 });
    world.site(0).fault = { kind: 'raw', status: 500, body: '' };
    for (const at of ['2026-11-22T09:00:00Z', '2026-11-22T10:00:00Z']) {
      clock.set(at);
      await makeChecksDue(world);
      await runDueChecks(world);
    }
    clock.set('2026-11-22T12:30:00Z');
    await write();
    const [{ id }] = await listMails(world);
    const mail = await waitForMailState(world, id, 'sent');
    assert.match(mail.subject, /^Daily digest: 1 down, /);
    assert.match(
      mail.text,
      /== Down ==\n\n\[Down\] [^\n]+\nhttp[^\n]+\n- Down since: 2026-11-22 10:00\n- Duration: 2 h 30 min\n- Cause: /,
    );
    assert.deepEqual(mail.links, []);
    assert.doesNotMatch(mail.html, /\/(api|docs)\//);
    await world.request('PUT', `/api/v2/monitors/${world.siteId(0)}/settings`, { body: { active: '0' } });
    await write();
    const [next] = await listMails(world, '&full_data=true');
    assert.doesNotMatch(next.text, /== Down ==/);
    clock.set('2026-11-22T08:00:00Z');
  });

  const fixOf = (newVersion: string, endedAt: string) => ({
    ...{ site_id: world.siteId(0), type: 'plugin', item: 'a/a.php', slug: 'a', name: 'Forms', old_version: '1.2.3' },
    ...{ severity: 4, closes: '[]', state: 'done', blocks: 0, put_back: 0, attempts: 1 },
    ...{
      created_at: clock.time,
      looked_at: 1,
      ended_at: Date.parse(endedAt),
      action: 'update',
      new_version: newVersion,
    },
  });

  it('when vulnerabilities were fixed by themselves since the last digest, then the mail names the versions', async () => {
    const { knex } = world.container.database;
    await write();
    await knex('vulnerability_fixes').insert([
      fixOf('1.2.4', '2026-11-22T08:30:00Z'),
      { ...fixOf('', '2026-11-22T08:30:00Z'), action: 'deactivate' },
      fixOf('1.2.2', '2026-11-22T07:30:00Z'),
      { ...fixOf('1.2.5', '2026-11-22T08:30:00Z'), state: 'failed' },
    ]);
    clock.set('2026-11-22T09:00:00Z');
    await write();
    const [mail] = await listMails(world, '&full_data=true');
    assert.match(mail.subject, /2 vulnerabilities fixed/);
    const [, section = ''] = mail.text.split('== Vulnerabilities fixed automatically ==');
    assert.match(section, /- Forms: Version 1\.2\.4 was installed in place of 1\.2\.3\./);
    assert.match(section, /- Forms: Version 1\.2\.3 was deactivated, because no fix is known\./);
    assert.doesNotMatch(section, /1\.2\.2|1\.2\.5/);
    await knex('vulnerability_fixes').delete();
  });

  it('when the module of reports is off, then the digest does not count reports that wait', async () => {
    const { knex } = world.container.database;
    await knex('kept_reports').insert({
      ...{
        about: 'site',
        name: 'Report',
        name_key: 'report',
        url: '',
        frequency: 'weekly',
        zone: 'UTC',
        state: 'made',
      },
      ...{ start_date: '2026-11-09', end_date: '2026-11-15', summary: '[]', language: 'en', recipients: '[]' },
      ...{ file_name: 'report.html', sites_count: 1, created_at: 1, release_state: 'waiting', held_at: 1 },
    });
    await write();
    assert.match((await listMails(world))[0].subject, /1 report waits for release/);
    await withoutModule(world, 'pro-reports', async () => {
      await write();
      assert.doesNotMatch((await listMails(world))[0].subject, /report/);
    });
    await knex('kept_reports').delete();
  });

  it('when translation updates are hidden, then the digest does not count them', async () => {
    await editSettings(world, 'general', { show_language_updates: 0 });
    await write();
    const [mail] = await listMails(world);
    assert.match(mail.subject, /: 2 updates,/);
  });

  it('when the time zone is set, then the digest is due at 7:00 in that zone', async () => {
    await editSettings(world, 'general', { timezone_string: 'America/New_York' });
    const { next_run: next } = await readSchedule(world, 'daily-digest');
    assert.equal(next, '2026-11-22T12:00:00Z');
  });

  it('when the digest is disabled, then no mail is written', async () => {
    const before = (await listMails(world)).length;
    await editEmails(world, 'daily_digest', { disable: 1 });
    await write();
    assert.equal((await listMails(world)).length, before);
  });

  it('when a digest was missed, then the next one begins where the last one ended, up to seven days back', async () => {
    const { knex } = world.container.database;
    await editEmails(world, 'daily_digest', { disable: 0 });
    await editSettings(world, 'general', { timezone_string: 'UTC' });
    const newest = async () => (await listMails(world, '&full_data=true'))[0].text;
    const writeAt = async (at: string) => {
      clock.set(at);
      await write();
      return newest();
    };
    clock.set('2026-11-23T06:59:00Z');
    await world.container.services.schedules.runner.tick();
    await writeAt('2026-11-23T07:00:05Z');
    await knex('vulnerability_fixes').insert(fixOf('2.0.1', '2026-11-23T08:00:00Z'));
    assert.match(await writeAt('2026-11-24T12:00:00Z'), /Version 2\.0\.1 was installed/);
    await knex('vulnerability_fixes').insert(fixOf('2.0.2', '2026-11-24T11:59:00Z'));
    await knex('vulnerability_fixes').insert(fixOf('2.0.3', '2026-11-24T12:01:00Z'));
    const next = await writeAt('2026-11-25T07:00:05Z');
    assert.match(next, /Version 2\.0\.3 was installed/);
    assert.doesNotMatch(next, /2\.0\.[12]/);
    await knex('vulnerability_fixes').insert(fixOf('2.0.4', '2026-11-25T08:00:00Z'));
    await knex('vulnerability_fixes').insert(fixOf('2.0.5', '2026-12-04T08:00:00Z'));
    for (const job of await runDueAt(world, clock, 'daily-digest', '2026-12-10T12:00:00Z'))
      await world.finishedJob(job);
    const late = await newest();
    assert.match(late, /On 2026-12-10[\s\S]+Version 2\.0\.5 was installed/);
    assert.doesNotMatch(late, /2\.0\.4/);
  });
});
