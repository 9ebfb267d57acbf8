import assert from 'node:assert/strict';
import type { ChildLink, SyncCalls } from '../../../src/connector/child-site.ts';
import { writeColumns, type SyncService, type SyncSection } from '../../../src/domains/sites/index.ts';
import { withFreshDatabase, type TestDatabase } from '../../support/database.ts';
import { createScriptedSites, storeSiteKey } from '../../support/scripted-sites.ts';
import { insertSite, statsWith } from '../inventory/support.ts';

describe('a report with sections that fail', () => {
  let opened: TestDatabase;
  withFreshDatabase((database) => (opened = database));
  const clock = { now: () => Date.UTC(2026, 10, 24, 12) };

  /** Creates a site and a service with these sections. `notes` is what the section `kept` has written. */
  async function createSync(...others: SyncSection[]) {
    const { knex } = opened.database;
    const kept: SyncSection = {
      name: 'kept',
      subjects: [],
      read: ({ wpVersion }) => wpVersion,
      write: writeColumns((value) => ({ notes: String(value) })),
    };
    const child: Pick<SyncCalls, 'report'> = {
      report: (_link, _request, isKnown) =>
        Promise.resolve({ digest: 'd', isKnown: isKnown('d'), read: () => statsWith({ wpVersion: '6.9' }) }),
    };
    const { sync, links } = createScriptedSites({ knex, clock, child, sections: [...others, kept] });
    const site = await insertSite(opened, 'site.example', 'connected');
    await storeSiteKey(knex, links, site.id);
    const state = (): Promise<{ notes: string; sync_error_message: string | null; section_hashes: string }> =>
      knex('site_states').where({ site_id: site.id }).first('notes', 'sync_error_message', 'section_hashes');
    return { sync, site, state };
  }
  const store = (sync: SyncService, site: { id: number; urlKey: string }) =>
    sync.pull({ ...site, url: 'https://site.example/' }, {} as ChildLink);

  it('when a section cannot be read, then the others are stored, and an unchanged report is read again', async () => {
    let fails = true;
    const read = (): string => {
      if (fails) throw new Error('A plugin has no name.');
      return 'value';
    };
    const broken: SyncSection = { name: 'broken', subjects: [], read, write: () => Promise.resolve() };
    const { sync, site, state } = await createSync(broken);
    await store(sync, site);
    const first = await state();
    assert.deepEqual([first.notes, Object.keys(JSON.parse(first.section_hashes) as object)], ['6.9', ['kept']]);
    assert.match(first.sync_error_message ?? '', /: broken\.$/);
    assert.doesNotMatch(first.sync_error_message ?? '', /has no name/);
    fails = false;
    await store(sync, site);
    const second = await state();
    assert.equal(second.sync_error_message, null);
    assert.deepEqual(Object.keys(JSON.parse(second.section_hashes) as object).sort(), ['*', 'broken', 'kept']);
  });

  it('when a section fails after it has written, then what it wrote is undone', async () => {
    const broken: SyncSection = {
      name: 'broken',
      subjects: [],
      read: () => 'value',
      async write(trx, values) {
        for (const { site } of values) {
          await trx('sites').where({ id: site.id }).update({ name: 'half' });
          await trx('sites').insert({ id: site.id });
        }
      },
    };
    const { sync, site, state } = await createSync(broken);
    await store(sync, site);
    assert.equal((await state()).notes, '6.9');
    const [name] = await opened.database.knex('sites').where({ id: site.id }).pluck<string[]>('name');
    assert.notEqual(name, 'half');
  });

  it('when the database is not available, then the report is not stored', async () => {
    const error = Object.assign(new Error('gone'), { fatal: true, code: 'PROTOCOL_CONNECTION_LOST' });
    const broken: SyncSection = {
      name: 'broken',
      subjects: [],
      read: () => 'value',
      write: () => Promise.reject(error),
    };
    const { sync, site, state } = await createSync(broken);
    await assert.rejects(store(sync, site), { code: 'svc_database_unavailable' });
    assert.deepEqual([(await state()).notes, (await state()).sync_error_message], ['', null]);
  });
});
