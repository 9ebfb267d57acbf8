import assert from 'node:assert/strict';
import { combineLeases } from '../../../src/db/lease.ts';
import { DigestReadModel } from '../../../src/domains/digest/digest-read-model.ts';
import type { GuardedItem } from '../../../src/domains/guard-files/index.ts';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { allowGuards, GUARDED, loseGuardRequests, runningUpdate, updateAlpha } from '../../support/guard-files.ts';
import { sendAlertMails } from '../../support/mail.ts';
import { ALPHA_FILE, putAlpha } from '../../support/packages.ts';
import { editSettings, ManualClock, runSchedule } from '../../support/schedules.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const LEASE = combineLeases();
const MINUTE = 60_000;

describe('guard files', () => {
  let world: World;
  const clock = new ManualClock('2026-11-21T11:00:00Z');
  before(async () => {
    world = await startWorld({ sites: 32, connect: 0, overrides: { allowHttpGuards: true, clock } });
  });
  after(() => world.close());

  const guards = () => world.container.services.guardFiles.guardFiles;
  const rows = async (siteId: number) =>
    world.container.database.knex('guard_files').where({ site_id: siteId }).select('state', 'guard_id', 'left_since');
  const record = async (id: number) => (await world.request('GET', `/api/v2/sites/${id}`)).body.data;
  const changesOf = async (id: number): Promise<string[]> =>
    (await world.request('GET', `/api/v2/changes?site_id=${id}&source=dashboard&per_page=20`)).body.data
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => type.startsWith('guard_file.'))
      .toReversed();
  const filesOn = (site: SimulatedSite): string[] => [...site.state.guardFiles.keys()];
  const home = async (site: SimulatedSite): Promise<number> => (await fetch(site.url)).status;
  const sweep = async (minutes = 10) => {
    clock.time += minutes * MINUTE;
    return runSchedule(world, 'guard-files');
  };

  async function guarded(furnish: (site: SimulatedSite) => void = () => undefined, item: GuardedItem = GUARDED) {
    const { id, site } = await world.freshSite((fresh) => {
      putAlpha(fresh);
      furnish(fresh);
    });
    await allowGuards(world, id);
    const { context: update, end } = await runningUpdate(world, id);
    const context = { ...update, lease: LEASE };
    return { id, site, context, end, prepare: () => guards().prepare(id, item, context) };
  }

  it('when an update is guarded, then the site has an armed file, and after the release none', async () => {
    const { id, site, context, prepare } = await guarded();
    const guard = await prepare();
    assert.equal(filesOn(site).length, 1);
    assert.match(filesOn(site)[0] ?? '', /^sitefleet-guard-[0-9a-f]{32}\.php$/);
    assert.deepEqual(
      (await rows(id)).map(({ state }) => state),
      ['armed'],
    );
    assert.equal((await guards().state(guard, context)).armed, true);
    assert.equal(await prepare(), guard);
    assert.deepEqual(await guards().release(guard, context), { left: null });
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
    assert.deepEqual(await changesOf(id), ['guard_file.added', 'guard_file.removed']);
    assert.deepEqual(await guards().release(guard, context), { left: null });
  });

  it('when a site with a guard file is synced, then no list of plugins has the file', async () => {
    const { id, site, prepare } = await guarded();
    await prepare();
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    const { body } = await world.request('GET', `/api/v2/sites/${id}/plugins?per_page=200`);
    const slugs = body.data.map(({ slug }: { slug: string }) => slug);
    assert.ok(slugs.includes(ALPHA_FILE));
    assert.deepEqual(
      slugs.filter((slug: string) => slug.startsWith('sitefleet-guard')),
      [],
    );
    assert.equal(filesOn(site).length, 1);
    assert.equal((await record(id)).guard_left, null);
  });

  it('when the new version has a fatal error, then the file puts the old version back by itself', async () => {
    const { id, site, context, prepare } = await guarded((fresh) => fresh.defects.breaking.add(ALPHA_FILE));
    const guard = await prepare();
    updateAlpha(site);
    assert.equal(await home(site), 500);
    assert.equal(await home(site), 200);
    const { armed, restored } = await guards().state(guard, context);
    assert.deepEqual([armed, restored?.cause, restored?.line], [false, 'fatal', 10]);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    await guards().state(guard, context);
    await guards().release(guard, context);
    assert.deepEqual(await changesOf(id), ['guard_file.added', 'guard_file.restored', 'guard_file.removed']);
    assert.deepEqual(filesOn(site), []);
  });

  it('when a page cache hides a fatal error of the home page, then an uncached request makes the file act', async () => {
    const { site, context, prepare } = await guarded((fresh) => {
      fresh.defects.breakingPage.set(ALPHA_FILE, 500);
      fresh.defects.pageCache = 'by-query';
    });
    const guard = await prepare();
    updateAlpha(site);
    assert.equal(await home(site), 200);
    assert.equal((await guards().state(guard, context)).armed, true);
    assert.equal((await fetch(`${site.url}?x=1`)).status, 500);
    assert.equal((await guards().state(guard, context)).restored?.cause, 'fatal');
    await guards().release(guard, context);
  });

  it('when the new version ends each request, then the file restores only when asked', async () => {
    const { site, context, prepare } = await guarded((fresh) => fresh.defects.dying.add(ALPHA_FILE));
    const guard = await prepare();
    updateAlpha(site);
    assert.equal(await (await fetch(site.url)).text(), '');
    assert.equal((await guards().state(guard, context)).armed, true);
    assert.equal((await guards().restore(guard, context)).restored?.cause, 'asked');
    assert.notEqual(await (await fetch(site.url)).text(), '');
    assert.equal((await guards().restore(guard, context)).restored?.cause, 'asked');
    await guards().release(guard, context);
    assert.deepEqual(filesOn(site), []);
  });

  const REFUSALS: [string, (site: SimulatedSite) => void, GuardedItem, string][] = [
    ['downloads it to another folder', (site) => (site.defects.otherMuFolder = true), GUARDED, 'not_proven'],
    ['has an open folder', (site) => (site.defects.openMuFolder = true), GUARDED, 'folder_mode'],
    ['cannot copy the plugin', (site) => site.defects.unwritable.add('rig-alpha'), GUARDED, 'not_copied'],
    ['has the plugin without a folder', () => undefined, { ...GUARDED, folder: 'hello.php/..' }, 'no_folder'],
  ];
  for (const [title, furnish, item, reason] of REFUSALS)
    it(`when the site ${title}, then the update is refused and no file is left`, async () => {
      const { id, site, prepare } = await guarded(furnish, item);
      await assert.rejects(prepare(), { code: 'svc_update_failed', data: { reason } });
      assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
    });

  it('when neither the site nor a tag of it is allowed, then the update is refused without a call', async () => {
    const { id, site, prepare } = await guarded();
    await allowGuards(world);
    const refused = { code: 'svc_update_failed', data: { reason: 'not_allowed' } };
    await assert.rejects(prepare(), refused);
    assert.equal(site.countOf('uploader_action'), 0);
    const tagId = await createTag(world, `guarded ${id}`, id);
    await editSettings(world, 'general', { svc_guard_file_tags: [tagId] });
    assert.ok(await prepare());
    await editSettings(world, 'general', { svc_guard_file_tags: null });
  });

  it('when the process dies during an update that broke the site, then the schedule puts the old version back', async () => {
    const { id, site, end, prepare } = await guarded((fresh) => fresh.defects.dying.add(ALPHA_FILE));
    await prepare();
    updateAlpha(site);
    await sweep();
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
    await end();
    await sweep();
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
  });

  const broken = async () => {
    const made = await guarded((fresh) => fresh.defects.dying.add(ALPHA_FILE));
    await made.prepare();
    updateAlpha(made.site);
    await made.end();
    return made;
  };
  const isKept = async ({ id, site }: { id: number; site: SimulatedSite }): Promise<void> => {
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
    assert.deepEqual([filesOn(site).length, (await rows(id)).map(({ state }) => state)], [1, ['armed']]);
  };
  const isPutBack = async ({ id, site }: { id: number; site: SimulatedSite }): Promise<void> => {
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
  };

  it('when the site cannot be reached, then the schedule keeps the copy, and puts it back later', async () => {
    const made = await broken();
    made.site.fault = { kind: 'refuse' };
    await sweep();
    await isKept(made);
    made.site.fault = null;
    await sweep();
    await isPutBack(made);
  });

  it('when only the file cannot be asked, then the schedule keeps the copy, and puts it back later', async () => {
    const made = await broken();
    const stop = loseGuardRequests(made.site, ['state', 'restore']);
    await sweep();
    await isKept(made);
    stop();
    await sweep();
    await isPutBack(made);
  });

  it('when the file does not put the copy back, then the schedule keeps the copy, and asks again later', async () => {
    const made = await broken();
    const stop = loseGuardRequests(made.site, ['restore']);
    await sweep();
    await isKept(made);
    stop();
    await sweep();
    await isPutBack(made);
  });

  it('when the new version crashes PHP, then the schedule puts the old version back at its second look', async () => {
    const made = await guarded((fresh) => fresh.defects.crashing.add(ALPHA_FILE));
    await made.prepare();
    updateAlpha(made.site);
    assert.equal(await home(made.site), 502);
    await made.end();
    await sweep();
    await isKept(made);
    await sweep();
    await isPutBack(made);
  });

  it('when somebody has deleted the file of a site that works, then the schedule forgets it', async () => {
    const { id, site, end, prepare } = await guarded();
    await prepare();
    for (const name of filesOn(site)) {
      site.state.guardFiles.delete(name);
      site.state.plugins.delete(name);
    }
    await end();
    await sweep();
    assert.deepEqual(await rows(id), []);
  });

  it('when the process dies after a good update, then the schedule removes the file and keeps the new version', async () => {
    const { id, site, end, prepare } = await guarded();
    await prepare();
    updateAlpha(site);
    await end();
    await sweep();
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
  });

  describe('of an activation', () => {
    const ACTIVATION: GuardedItem = { ...GUARDED, activatedFile: ALPHA_FILE };
    const isActive = (site: SimulatedSite) => site.state.plugins.get(ALPHA_FILE)?.active;
    const activated = async (furnish: (site: SimulatedSite) => void) => {
      const known = await guarded((fresh) => {
        updateAlpha(fresh);
        setActive(fresh, false);
        furnish(fresh);
      }, ACTIVATION);
      const guard = await known.prepare();
      setActive(known.site, true);
      return { ...known, guard };
    };
    const setActive = (site: SimulatedSite, active: boolean): void => {
      const alpha = site.state.plugins.get(ALPHA_FILE);
      if (alpha) alpha.active = active;
      site.touch();
    };

    it('when the plugin has a fatal error, then the file deactivates it by itself', async () => {
      const { id, site, context, guard } = await activated((fresh) => fresh.defects.breaking.add(ALPHA_FILE));
      assert.deepEqual([await home(site), await home(site), isActive(site)], [500, 200, false]);
      const { armed, restored } = await guards().state(guard, context);
      assert.deepEqual([armed, restored?.cause, restored?.line], [false, 'fatal', 10]);
      await guards().release(guard, context);
      assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
      const { data } = (await world.request('GET', `/api/v2/changes?site_id=${id}&source=dashboard&per_page=20`)).body;
      const said = data.map(({ description }: { description: string }) => description);
      assert.ok(said.includes('Added a guard file for the activation of the plugin Rig Alpha.'), said.join('\n'));
      assert.ok(said.some((text: string) => text.startsWith('The guard file deactivated the plugin Rig Alpha after')));
    });

    it('when the process dies after the activation has killed the site, then the schedule deactivates it', async () => {
      const { id, site, end } = await activated((fresh) => fresh.defects.dying.add(ALPHA_FILE));
      await sweep();
      assert.equal(isActive(site), true);
      await end();
      await sweep();
      assert.deepEqual([isActive(site), filesOn(site), await rows(id)], [false, [], []]);
    });

    it('when the process dies after a good activation, then the schedule removes the file alone', async () => {
      const { id, site, end } = await activated(() => undefined);
      await end();
      await sweep();
      assert.deepEqual([isActive(site), filesOn(site), await rows(id)], [true, [], []]);
    });
  });

  it('when the process dies before the site has downloaded the file, then the next attempt lays and arms it', async () => {
    const { id, site, context, prepare } = await guarded();
    site.faultQueue.push({ kind: 'refuse', function: 'uploader_action' });
    const first = guards().prepare(id, GUARDED, context);
    await assert.rejects(first);
    await world.container.database.knex('guard_files').where({ site_id: id }).update({ state: 'laying' });
    const guard = await prepare();
    assert.equal((await guards().state(guard, context)).armed, true);
    await guards().release(guard, context);
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
  });

  it('when a file without a copy is still to be removed, then the next attempt is refused too', async () => {
    const { id, site, prepare } = await guarded(({ defects }) => {
      defects.unwritable.add('rig-alpha');
      defects.guardFilesStay = true;
    });
    const refused = { code: 'svc_update_failed', data: { reason: 'not_copied' } };
    await assert.rejects(prepare(), refused);
    assert.deepEqual(
      (await rows(id)).map(({ state }) => state),
      ['removing'],
    );
    await assert.rejects(prepare(), refused);
    site.defects.guardFilesStay = false;
    await sweep();
    assert.deepEqual([filesOn(site), await rows(id)], [[], []]);
  });

  it('when a file cannot be removed, then the record, the digest and a mail name its path until it is gone', async () => {
    const { id, site, context, prepare } = await guarded((fresh) => (fresh.defects.guardFilesStay = true));
    const guard = await prepare();
    const path = `wp-content/mu-plugins/${filesOn(site)[0]}`;
    assert.deepEqual(await guards().release(guard, context), { left: path });
    assert.equal((await record(id)).guard_left, null);
    await sweep();
    await sweep();
    assert.equal((await record(id)).guard_left.path, path);
    const mailed = async (): Promise<number> =>
      (await sendAlertMails(world)).filter(({ text }) => text.includes(path)).length;
    assert.equal(await mailed(), 1);
    const digest = await new DigestReadModel(world.container.database.knex).leftGuardFiles();
    assert.deepEqual(
      digest.lines.map((line) => line.path),
      [path],
    );
    await sweep(120);
    assert.equal(await mailed(), 1);
    site.defects.guardFilesStay = false;
    await sweep(120);
    assert.equal((await record(id)).guard_left, null);
    assert.deepEqual(filesOn(site), []);
  });

  it('when somebody deletes a file that was left, then the next sync clears the record', async () => {
    const { id, site, context, prepare } = await guarded((fresh) => (fresh.defects.guardFilesStay = true));
    await guards().release(await prepare(), context);
    await sweep();
    await sweep();
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.notEqual((await record(id)).guard_left, null);
    const listed = async (): Promise<number[]> => {
      const lists = ['sites', 'sites/basic'].map((path) =>
        world.request('GET', `/api/v2/${path}?status=guard_left&include=${id}`),
      );
      const [full, basic] = (await Promise.all(lists)).map(({ body }) =>
        body.data.map((each: { id: number }) => each.id),
      );
      const { count } = (await world.request('GET', `/api/v2/sites/count?status=guard_left&include=${id}`)).body;
      assert.deepEqual([basic, count], [full, full.length]);
      return full;
    };
    assert.deepEqual(await listed(), [id]);
    for (const name of filesOn(site)) {
      site.state.guardFiles.delete(name);
      site.state.plugins.delete(name);
    }
    site.touch();
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    assert.deepEqual([(await record(id)).guard_left, await rows(id)], [null, []]);
    assert.deepEqual(await listed(), []);
  });

  it('when a copy of a site reports the same guard file, then the file is known on both sites', async () => {
    const { id, site, context, prepare } = await guarded();
    const guard = await prepare();
    const { id: copyId, site: copy } = await world.freshSite(() => undefined);
    for (const [name, file] of site.state.guardFiles) {
      copy.state.guardFiles.set(name, file);
      copy.state.plugins.set(name, site.state.plugins.get(name) ?? assert.fail());
    }
    copy.touch();
    await world.ability('sync-sites-v1', { site_ids_or_domains: [copyId] });
    assert.deepEqual((await record(copyId)).sync_errors, []);
    const statesOf = async (siteId: number) => (await rows(siteId)).map(({ state }) => state);
    assert.deepEqual([await statesOf(id), await statesOf(copyId)], [['armed'], ['found']]);
    await guards().release(guard, context);
    assert.deepEqual([await statesOf(id), await statesOf(copyId)], [[], ['found']]);
    await world.container.database.knex('guard_files').where({ site_id: copyId }).delete();
  });

  it('when a site reports a guard file that is not known, then the schedule names it and sends nothing to it', async () => {
    const { id, site, prepare } = await guarded();
    await prepare();
    await world.container.database.knex('guard_files').where({ site_id: id }).delete();
    await world.ability('sync-sites-v1', { site_ids_or_domains: [id] });
    for (let attempt = 0; attempt < 3; attempt++) await sweep(120);
    assert.equal((await record(id)).guard_left.path, `wp-content/mu-plugins/${filesOn(site)[0]}`);
  });
});

describe('guard files without https', () => {
  it('when the site or the public URL has no https, then the update is refused without a call', async () => {
    const world = await startWorld({ sites: 1 });
    try {
      const id = world.siteId(0);
      putAlpha(world.site(0));
      await allowGuards(world, id);
      const { context } = await runningUpdate(world, id);
      const refused = { code: 'svc_update_failed', data: { reason: 'no_https' } };
      await assert.rejects(world.container.services.guardFiles.guardFiles.prepare(id, GUARDED, context), refused);
      assert.equal(world.site(0).countOf('uploader_action'), 0);
    } finally {
      await world.close();
    }
  });
});
