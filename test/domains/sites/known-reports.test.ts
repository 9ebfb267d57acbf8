import assert from 'node:assert/strict';
import {
  SYNC_SECTIONS,
  type ChildLink,
  type ChildLogEntry,
  type ChildStats,
  type SyncCalls,
  type SyncSectionName,
} from '../../../src/connector/child-site.ts';
import { writeColumns, type SyncSection } from '../../../src/domains/sites/index.ts';
import { ChildUnreachableError } from '../../../src/shared/child-call-errors.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { createScriptedSites, storeSiteKey } from '../../support/scripted-sites.ts';
import { insertSite, plugin, statsWith } from '../inventory/support.ts';

const HOUR = 3_600_000;
const ALL: ReadonlySet<SyncSectionName> = new Set(SYNC_SECTIONS);
const CHANGE = { source: 'child_changes', externalId: '2', at: 1_795_000_000_500, cursor: null } as ChildLogEntry;
const LINK = {} as ChildLink;

describe('a report that is equal to the last one', () => {
  let opened: TestDatabase;
  withFreshDatabase((database) => (opened = database));

  /** Creates a service and a site. `pull` syncs the site and returns true if its report was read. */
  async function createSync() {
    const { knex } = opened.database;
    const time = { now: Date.UTC(2026, 10, 24, 12) };
    const sent = { digest: 'a', stats: statsWith({}), reads: 0, backups: 0, pages: 0, hooks: 0 };
    const settings = { now: ALL, afterCall: ALL };
    const version: SyncSection = {
      name: 'version',
      subjects: [],
      read: ({ wpVersion }) => wpVersion,
      write: writeColumns((value) => ({ wp_version: String(value) })),
    };
    const read = (): ChildStats => {
      sent.reads += 1;
      return sent.stats;
    };
    const child: Pick<SyncCalls, 'report' | 'lastBackup' | 'changes'> = {
      report: (_link, _request, isKnown) => {
        settings.now = settings.afterCall;
        return Promise.resolve({ ...sent, isKnown: isKnown(sent.digest), read });
      },
      lastBackup: () => Promise.resolve((sent.backups += 1)),
      changes: () => {
        sent.pages += 1;
        return Promise.reject(new ChildUnreachableError('http', 'The site did not answer in time.'));
      },
    };
    const { sync, links } = createScriptedSites({
      ...{ knex, child, clock: { now: () => time.now }, sections: [version] },
      log: {
        store: (_trx, logs) =>
          Promise.resolve(new Map(logs.map(({ siteId, changesRead }) => [siteId, { changes_cursor: changesRead }]))),
      },
      wanted: () => settings.now,
      onReport: () => [
        {
          waiting: () => ({
            table: 'open_updates',
            condition: 'logged = 0 and sent_at > ?',
            bindings: [time.now - HOUR],
          }),
          run: () => Promise.resolve(void (sent.hooks += 1)),
        },
      ],
      backupMethodOf: (plugins) => (plugins.some(({ slug }) => slug === 'backup') ? 'backwpup' : null),
    });
    const site = await insertSite(opened, 'site.example', 'connected');
    await storeSiteKey(knex, links, site.id);
    const state = async (): Promise<{ wp_version: string; last_sync_at: number; sync_error_code: string | null }> => {
      const query = knex('site_states').where({ site_id: site.id });
      const row = await query.first('wp_version', 'last_sync_at', 'sync_error_code');
      return { ...row, last_sync_at: Number(row.last_sync_at) };
    };
    const pull = async (): Promise<boolean> => {
      const before = sent.reads;
      await sync.pull({ ...site, url: 'https://site.example/' }, LINK);
      return sent.reads > before;
    };
    return { knex, time, sent, settings, site, state, pull };
  }

  it('when a site sends the same report again, then it is not read, and the time of the sync is stored', async () => {
    const { time, pull, state } = await createSync();
    assert.equal(await pull(), true);
    time.now += HOUR;
    assert.equal(await pull(), false);
    assert.deepEqual(await state(), { wp_version: '6.8', last_sync_at: time.now, sync_error_code: null });
  });

  it('when a site sends another report, then it is read, and its state is stored', async () => {
    const { sent, pull, state } = await createSync();
    await pull();
    Object.assign(sent, { digest: 'b', stats: statsWith({ wpVersion: '6.9' }) });
    assert.equal(await pull(), true);
    assert.equal((await state()).wp_version, '6.9');
  });

  it('when a day is over, then the same report is read once more', async () => {
    const { time, pull } = await createSync();
    await pull();
    time.now += 24 * HOUR;
    assert.equal(await pull(), true);
    assert.equal(await pull(), false);
  });

  it('when the stored state has changed in the meantime, then the same report is read and stored', async () => {
    const { knex, site, pull, state } = await createSync();
    await pull();
    await knex('site_states').where({ site_id: site.id }).update({ wp_version: '5', section_hashes: '{}' });
    assert.equal(await pull(), true);
    assert.equal((await state()).wp_version, '6.8');
  });

  it('when a site sends its last change again and again, then it is read until the position in the log stays', async () => {
    const { sent, pull } = await createSync();
    sent.stats = statsWith({ logs: [CHANGE] });
    assert.deepEqual([await pull(), await pull(), await pull()], [true, true, false]);
  });

  it('when the rest of the log could not be read, then the next sync tries again', async () => {
    const { sent, pull } = await createSync();
    sent.stats = statsWith({ logs: [CHANGE], moreChanges: true });
    await pull();
    await pull();
    const before = sent.pages;
    await pull();
    assert.equal(sent.pages, before + 1);
  });

  it('when a section is switched off during the call, then the same report is read once it is on again', async () => {
    const { settings, pull } = await createSync();
    settings.afterCall = new Set(SYNC_SECTIONS.filter((name) => name !== 'plugins'));
    await pull();
    Object.assign(settings, { now: ALL, afterCall: ALL });
    assert.deepEqual([await pull(), await pull()], [true, false]);
  });

  it('when an update waits for its result, then the same report is read', async () => {
    const { knex, time, site, sent, pull } = await createSync();
    await pull();
    const item = { type: 'plugin', slug: 'a', name: 'A', current_version: '1', new_version: '2' };
    await knex('open_updates').insert({ ...item, site_id: site.id, actor: 'x', log_position: 0, sent_at: time.now });
    assert.deepEqual([await pull(), sent.hooks], [true, 1]);
    await knex('open_updates').update({ logged: 1 });
    assert.equal(await pull(), false);
    await knex('open_updates').update({ logged: 0, sent_at: time.now - HOUR });
    assert.equal(await pull(), false);
  });

  it('when the site needs a second call for its last backup, then the next sync makes that call too', async () => {
    const { sent, pull } = await createSync();
    sent.stats = statsWith({ plugins: [plugin('backup')] });
    await pull();
    await pull();
    assert.equal(sent.backups, 2);
  });

  it('when the child plugin is outdated, then each sync fails, and a newer one is accepted', async () => {
    const { sent, pull, state } = await createSync();
    sent.stats = statsWith({ childVersion: '3.9' });
    await assert.rejects(pull(), { code: 'svc_child_outdated' });
    await assert.rejects(pull(), { code: 'svc_child_outdated' });
    Object.assign(sent, { digest: 'b', stats: statsWith({}) });
    await pull();
    assert.equal((await state()).sync_error_code, null);
  });
});
