import assert from 'node:assert/strict';
import { pinJobs, type PinJobResult } from '../../../src/domains/pins/pin.jobs.ts';
import type { LeasedItem } from '../../../src/queue/index.ts';
import { readChangesOf } from '../../support/changes.ts';
import { HELD_LEASE } from '../../support/jobs.ts';
import { callerWithin } from '../../support/limited-keys.ts';
import { offerPlugins, setPins } from '../../support/pins.ts';
import { refusedFields } from '../../support/refusals.ts';
import { runSchedule } from '../../support/schedules.ts';
import { storeSite, suspendSite, syncSites } from '../../support/sites.ts';
import { countStatements } from '../../support/statements.ts';
import { createTag } from '../../support/tags.ts';
import { ALPHA, BETA, GAMMA, itemErrorCodes, readUpdates, upgradeCallsOf } from '../../support/updates.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const PINS = '/api/v2/pins';
/** The child switches automatic updates by a visit of its own pages. */
const SWITCH = 'bulk_settings_manager';

describe('v2 pins', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 40, connect: 0 });
  });
  after(() => world.close());

  /** A site with alpha 1.0 and an update to 2.0, and beta 1.0 and an update to 1.1. */
  const freshSite = () =>
    world.freshSite((site) => offerPlugins(site, { [ALPHA]: ['1.0', '2.0'], [BETA]: ['1.0', '1.1'] }));
  const get = async (path: string) => (await world.request('GET', path)).body;
  const leftOut = async (query: string): Promise<string[]> => {
    const { data } = await get(`/api/v2/updates/left-out?${query}`);
    return data.map(
      (row: Record<string, string>) => `${row['type']} ${row['slug']} ${row['new_version']} ${row['code']}`,
    );
  };

  it('when a plugin is pinned, then lists, counts and the inventory omit updates outside of it, until it is freed', async () => {
    const { id } = await freshSite();
    const before = await readUpdates(world, id);
    assert.deepEqual(before.plugins, [ALPHA, BETA]);
    const { data, errors, summary } = await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] });
    assert.deepEqual([errors, summary], [[], { total_changed: 1, total_errors: 0, sites_left_out: 0 }]);
    const pinned = await readUpdates(world, id);
    assert.deepEqual(
      [pinned.site, pinned.fleet, pinned.total, pinned.plugins, pinned.stats.plugin_updates],
      [[`plugin ${BETA}`], [`plugin ${BETA}`], 1, [BETA], 1],
    );
    for (const totals of pinned.summaries) assert.equal(totals['plugins'], 1);
    assert.deepEqual(await leftOut(`include=${id}`), [`plugin ${ALPHA} 2.0 svc_update_pinned`]);
    await world.request('DELETE', `${PINS}/${data[0]?.pin_id}`);
    assert.deepEqual(await readUpdates(world, id), before);
    assert.deepEqual(await leftOut(`include=${id}`), []);
  });

  it('when the version is a range, then each offered version is judged like version_compare', async () => {
    const { id, site } = await freshSite();
    const [pin] = (await setPins(world, { slug: ALPHA, version: '3.10.2.1', websites: [id] })).data;
    for (const [version, listed, omitted] of [
      ['3.10.2.1', ['3.10.2.1', '3.10.2.1.0'], ['3.10.2', '3.10.2.2', '3.9', '4.0']],
      ['3.x', ['3.0', '3.10.2.1', '3.99-beta', '3'], ['4.0', '4.0-beta', '30.1', '2.9']],
      ['3.1.*', ['3.1', '3.1.9'], ['3.10', '3.2']],
      ['<4', ['3.99', '4.0-beta', '0.1'], ['4', '4.0.1', '2024.1']],
      ['<= 2024.1', ['2024.1', '2023.12'], ['2024.1.1', '2024.10']],
      ['v2.x', ['2.5'], ['3.0']],
    ] as const) {
      const { body } = await world.request('PUT', `${PINS}/${pin?.pin_id}`, { body: { version } });
      assert.equal(body.data.version, version.replace('*', 'x').replace('<= ', '<='));
      for (const offered of [...listed, ...omitted]) {
        site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: offered });
        await syncSites(world, id);
        const isListed = (await readUpdates(world, id)).plugins.includes(ALPHA);
        assert.equal(isListed, (listed as readonly string[]).includes(offered), `${version}: ${offered}`);
      }
    }
  });

  it('when runs meet a pinned plugin, then none installs it, and each says why', async () => {
    const { id, site } = await freshSite();
    const [pin] = (await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] })).data;
    const skipped = {
      site_id: id,
      site_url: site.url,
      type: 'plugin',
      slug: ALPHA,
      name: 'Alpha',
      current_version: '1.0',
      new_version: '2.0',
      code: 'svc_update_pinned',
      message: 'This version is outside of the pin 1.x of this item on this site.',
      pin_id: pin?.pin_id,
      pinned_version: '1.x',
      held_until: null,
    };
    const plan = await get(`/api/v2/updates/plan?websites=${id}`);
    const { site_name, ...planned } = plan.data[0].skipped[0];
    assert.deepEqual([planned, plan.summary.total], [skipped, 1]);
    const named = (await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: ALPHA } })).body;
    assert.deepEqual([named.data, itemErrorCodes(named), named.skipped], [[], [`${ALPHA} svc_update_pinned`], []]);
    const ability = await world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] });
    assert.deepEqual(itemErrorCodes(ability), [`${ALPHA} svc_update_pinned`]);
    const fleet = await world.ability('run-updates-v1', { site_ids_or_domains: [id], specific_items: [ALPHA] });
    assert.deepEqual(itemErrorCodes(fleet), [`${id} svc_update_pinned`]);
    assert.deepEqual(upgradeCallsOf(site), []);
    const run = (await world.request('POST', '/api/v2/updates/update', { body: { include: [id] } })).body;
    assert.deepEqual(
      [run.data.map(({ slug }: { slug: string }) => slug), run.errors, run.skipped],
      [[BETA], [], [{ ...skipped, site_name }]],
    );
    assert.deepEqual(upgradeCallsOf(site), [`upgradeplugintheme plugin ${BETA}`]);
    assert.equal(site.state.plugins.get(ALPHA)?.version, '1.0');
  });

  it('when updates run in rings or by schedule, then pinned ones are left out, and the job says why', async () => {
    const { id, site } = await freshSite();
    await setPins(world, { slug: ALPHA, version: '1.0', websites: [id] });
    await createTag(world, `ring ${id}`, id);
    const body = { include: [id], rings: [`ring ${id}`] };
    const queued = (await world.request('POST', '/api/v2/updates/update', { body })).body;
    const job = await world.finishedJob(queued.job_id);
    const [{ result }] = job.items;
    assert.equal(job.data.rings[0].state, 'passed');
    assert.deepEqual(
      result.skipped.map(({ slug, code }: Record<string, string>) => [slug, code]),
      [[ALPHA, 'svc_update_pinned']],
    );
    const settings = { plugin_automatic_daily_update: 1, delay_autoupdate: 0 };
    await world.request('PUT', '/api/v2/settings/general/edit', { body: settings });
    await world.request('POST', '/api/v2/schedules/auto-updates/run');
    await world.container.services.schedules.runner.tick();
    for (const { job_id } of (await get('/api/v2/jobs?type=update&per_page=1')).data) await world.finishedJob(job_id);
    await world.request('PUT', '/api/v2/settings/general/edit', { body: { plugin_automatic_daily_update: 0 } });
    assert.deepEqual(upgradeCallsOf(site), [`upgradeplugintheme plugin ${BETA}`]);
  });

  it('when the site offers a later version than at its sync, then no run installs it past the pin, and a named slug is an error', async () => {
    const { id, site } = await freshSite();
    await setPins(world, { slug: BETA, version: '1.x', websites: [id] });
    site.performWpAdminAction({ do: 'release-plugin', plugin: BETA, version: '2.0' });
    const path = `/api/v2/updates/${id}/update/plugins`;
    const ability = await world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [BETA] });
    assert.deepEqual([ability['updated'], itemErrorCodes(ability)], [[], [`${BETA} svc_update_pinned`]]);
    const fleet = await world.ability('run-updates-v1', { site_ids_or_domains: [id], specific_items: [BETA] });
    assert.deepEqual(itemErrorCodes(fleet), [`${id} svc_update_pinned`]);
    const named = (await world.request('POST', path, { body: { slug: BETA } })).body;
    assert.deepEqual([named.data, itemErrorCodes(named), named.skipped], [[], [`${BETA} svc_update_pinned`], []]);
    assert.deepEqual(upgradeCallsOf(site), []);
    const all = (await world.request('POST', path)).body;
    assert.deepEqual(
      all.skipped.map(({ slug, new_version }: Record<string, string>) => [slug, new_version]),
      [[BETA, '2.0']],
    );
    assert.deepEqual([all.errors, upgradeCallsOf(site)], [[], [`upgradeplugintheme plugin ${ALPHA}`]]);
    assert.deepEqual(await world.container.database.knex('open_updates').where({ site_id: id }), []);
  });

  it('when a plugin or theme is pinned, then the site no longer updates it by itself, and the change log says so', async () => {
    const { id, site, made } = await freshSite();
    const [theme] = made.themes;
    await setPins(world, { slug: ALPHA, version: '1.x', websites: [id], note: ' checkout ' });
    const answer = await setPins(world, { type: 'theme', slug: theme, version: '1.1', websites: [id] });
    assert.deepEqual(
      answer.data.map(({ auto_update }) => auto_update),
      ['off'],
    );
    const { autoUpdates, themes } = site.state;
    assert.deepEqual(
      [autoUpdates.plugin.has(ALPHA), autoUpdates.plugin.has(BETA), autoUpdates.theme.has(theme)],
      [false, true, false],
    );
    const name = themes.get(theme)?.definition.name;
    const logged = await readChangesOf(world, id, '%');
    assert.deepEqual(
      logged.slice(-4).map(({ type, description, actor }) => [type, description, actor]),
      [
        ['update.pinned', 'The plugin Alpha is pinned to 1.x.', 'admin'],
        ['plugin.auto_updates_disabled', "Switched the site's automatic updates of the plugin Alpha off.", 'admin'],
        ['update.pinned', `The theme ${name} is pinned to 1.1.`, 'admin'],
        ['theme.auto_updates_disabled', `Switched the site's automatic updates of the theme ${name} off.`, 'admin'],
      ],
    );
    const { data } = await get(`${PINS}?include=${id}&type=plugin`);
    assert.deepEqual(
      [data[0].note, data[0].installed_version, data[0].is_within, data[0].left_out_version, data[0].auto_update],
      ['checkout', '1.0', true, '2.0', 'off'],
    );
  });

  it('when a pin is freed, then the automatic update stays off unless the caller switches it on', async () => {
    const { id, site } = await freshSite();
    const pinOf = async (slug: string): Promise<number> =>
      (await setPins(world, { slug, version: '1.x', websites: [id] })).data[0]?.pin_id ?? 0;
    const left = (await world.request('DELETE', `${PINS}/${await pinOf(ALPHA)}`)).body;
    assert.deepEqual(
      [left.message, left.auto_update, site.state.autoUpdates.plugin.has(ALPHA)],
      ['The pin was freed. Automatic updates by the site are off.', 'off', false],
    );
    const freed = (await world.request('DELETE', `${PINS}/${await pinOf(BETA)}?auto_update=true`)).body;
    assert.deepEqual(
      [freed.message, freed.auto_update, site.state.autoUpdates.plugin.has(BETA)],
      ['The pin was freed. Automatic updates by the site are on.', 'on', true],
    );
    const types = (await readChangesOf(world, id, '%')).map(({ type }) => type).slice(-2);
    assert.deepEqual(types, ['plugin.auto_updates_enabled', 'update.unpinned']);
    await pinOf(GAMMA);
    await world.closeAddress(id);
    const [pin] = (await get(`${PINS}?include=${id}`)).data;
    await world.request('DELETE', `${PINS}/${pin.id}?auto_update=true`, { expect: 503 });
    assert.equal((await get(`${PINS}?include=${id}`)).total, 1);
  });

  it('when the site cannot be reached, then the pin stands, and it is switched off after the next sync', async () => {
    const { id, site } = await freshSite();
    const url = (await get(`/api/v2/sites/${id}`)).data.url as string;
    await world.closeAddress(id);
    const { data, errors } = await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] });
    assert.deepEqual(
      data.map(({ auto_update }) => auto_update),
      ['pending'],
    );
    assert.deepEqual(
      errors.map(({ identifier, code, slug }) => [identifier, code, slug]),
      [[id, 'svc_site_unreachable', ALPHA]],
    );
    assert.deepEqual((await readUpdates(world, id)).plugins, [BETA]);
    const pending = await get(`${PINS}?auto_update=pending&include=${id}`);
    assert.deepEqual([pending.total, pending.data[0].auto_update_error.code], [1, 'svc_site_unreachable']);
    const due = async () => (await world.request('POST', '/api/v2/schedules/pin-auto-updates/run')).body.data;
    assert.equal(await due(), null);
    await world.container.database.knex('sites').where({ id }).update({ url });
    await syncSites(world, id);
    const job = await runSchedule(world, 'pin-auto-updates');
    assert.deepEqual(
      job.items.map(({ site_id, state }: Record<string, unknown>) => [site_id, state]),
      [[id, 'succeeded']],
    );
    assert.equal(site.state.autoUpdates.plugin.has(ALPHA), false);
    assert.equal(await due(), null);
    assert.equal((await get(`${PINS}?auto_update=pending&include=${id}`)).total, 0);
  });

  it('when a pin is freed while the schedule switches pinned items off, then the automatic update stays on', async () => {
    const { id, site } = await freshSite();
    const url = (await get(`/api/v2/sites/${id}`)).data.url as string;
    await world.closeAddress(id);
    for (const slug of [ALPHA, BETA]) await setPins(world, { slug, version: '1.x', websites: [id] });
    await world.container.database.knex('sites').where({ id }).update({ url });
    await syncSites(world, id);
    const { data } = await get(`${PINS}?include=${id}&slug=${BETA}`);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const sent = site.countOf(SWITCH);
    site.faultQueue.push({ kind: 'delay', ms: { until: held }, function: SWITCH });
    const { job_id: jobId } = (await world.request('POST', '/api/v2/schedules/pin-auto-updates/run')).body.data;
    await until(() => site.countOf(SWITCH) === sent + 1, 'the switch of the first item');
    const freeing = world.request('DELETE', `${PINS}/${data[0].id}?auto_update=true`);
    // Gives the request time to reach the service. It may wait there until the first switch has ended.
    await Promise.race([freeing, get(PINS).then(() => get(PINS))]);
    release();
    assert.equal((await freeing).body.auto_update, 'on');
    const { errors } = await world.finishedJob(jobId);
    assert.ok(site.state.autoUpdates.plugin.has(BETA));
    assert.ok(!site.state.autoUpdates.plugin.has(ALPHA));
    assert.equal((await get(`${PINS}?include=${id}`)).total, 1);
    for (const { code } of errors) assert.equal(code, 'svc_pin_not_found');
  });

  it('when the site refuses the switch, then the pin is pending with the words of the site', async () => {
    const { id, site } = await freshSite();
    site.state.plugins.delete(ALPHA);
    const { data, errors } = await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] });
    assert.deepEqual(
      data.map(({ auto_update }) => auto_update),
      ['pending'],
    );
    assert.deepEqual(
      errors.map(({ code, child_message }) => [code, child_message]),
      [['svc_site_bad_answer', 'Invalid data. The item does not exist.']],
    );
  });

  it('when sites are selected by tags, clients or all, then those with the item are pinned, and freed', async () => {
    const sites = [await freshSite(), await freshSite(), await freshSite()];
    const [first, second, third] = sites.map(({ id }) => id) as [number, number, number];
    const knex = world.container.database.knex;
    await knex('site_plugins').where({ site_id: second, slug: ALPHA }).delete();
    await createTag(world, 'pinned together', first, second);
    await suspendSite(world, third);
    const { body: client } = await world.request('POST', '/api/v2/clients/add', { body: { name: 'Shop' } });
    await world.request('PUT', `/api/v2/sites/${third}/edit`, { body: { client_id: client.data.id } });
    const tagged = await setPins(world, { slug: ALPHA, version: '1.x', groups: ['pinned together'] });
    assert.deepEqual(
      tagged.data.map(({ site_id }) => site_id),
      [first],
    );
    assert.deepEqual(tagged.summary, { total_changed: 1, total_errors: 0, sites_left_out: 1 });
    const owned = await setPins(world, { slug: ALPHA, version: '1.x', clients: [client.data.id] });
    assert.deepEqual(
      [owned.data.map(({ site_id, auto_update }) => [site_id, auto_update]), itemErrorCodes(owned as never)],
      [[[third, 'pending']], [`${third} svc_site_suspended`]],
    );
    const named = await setPins(world, { slug: ALPHA, version: '1.x', websites: [second, 'no.example'] });
    assert.deepEqual(
      [named.data, itemErrorCodes(named as never)],
      [[], ['no.example svc_site_not_found', `${second} svc_plugin_not_found`]],
    );
    const everywhere = await setPins(world, { slug: GAMMA, version: '1.x', all_sites: true });
    assert.ok([first, second, third].every((id) => everywhere.data.some(({ site_id }) => site_id === id)));
    const query = `type=plugin&slug=${encodeURIComponent(GAMMA)}`;
    const freed = (await world.request('DELETE', `${PINS}?${query}&groups=pinned%20together&auto_update=true`)).body;
    assert.deepEqual(
      freed.data.map(({ site_id, auto_update }: Record<string, unknown>) => [site_id, auto_update]),
      [first, second].map((id) => [id, 'on']),
    );
    const rest = (await world.request('DELETE', `${PINS}?${query}&all_sites=true`)).body;
    assert.equal(rest.data.length, everywhere.data.length - 2);
    assert.equal((await get(`${PINS}?slug=${encodeURIComponent(GAMMA)}`)).total, 0);
  });

  it('when an ignore rule and a pin leave an update out, then it is listed as ignored, and then as pinned', async () => {
    const { id } = await freshSite();
    await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] });
    const path = `/api/v2/updates/${id}/ignore/plugins`;
    await world.request('POST', path, { body: { slug: ALPHA } });
    assert.deepEqual(await leftOut(`include=${id}`), [`plugin ${ALPHA} 2.0 svc_update_ignored`]);
    assert.deepEqual(await leftOut(`include=${id}&reason=pinned`), []);
    await world.request('DELETE', path);
    assert.deepEqual(await leftOut(`include=${id}&reason=pinned&type=plugins`), [
      `plugin ${ALPHA} 2.0 svc_update_pinned`,
    ]);
    assert.deepEqual((await readUpdates(world, id)).plugins, [BETA]);
  });

  it('when a pin is set again, then its version changes, and an omitted note is kept', async () => {
    const { id } = await freshSite();
    const first = await setPins(world, { slug: ALPHA, version: '1.x', note: 'why', websites: [id] });
    const second = await setPins(world, { slug: ALPHA, version: '2.x', websites: [id] });
    assert.equal(second.data[0]?.pin_id, first.data[0]?.pin_id);
    const { data } = await get(`${PINS}/${second.data[0]?.pin_id}`);
    assert.deepEqual([data.version, data.note, data.left_out_version], ['2.x', 'why', null]);
    assert.deepEqual((await readUpdates(world, id)).plugins, [ALPHA, BETA]);
  });

  it('when an update renames the main file of a pinned plugin, then the pin moves along', async () => {
    const { id, site } = await freshSite();
    site.defects.renamedFiles.set(BETA, 'beta/main.php');
    await setPins(world, { slug: BETA, version: '1.x', websites: [id] });
    await world.request('POST', `/api/v2/updates/${id}/update/plugins`, { body: { slug: BETA } });
    const { data } = await get(`${PINS}?include=${id}`);
    assert.deepEqual(
      data.map(({ slug, version, installed_version }: Record<string, string>) => [slug, version, installed_version]),
      [['beta/main.php', '1.x', '1.1']],
    );
  });

  it('when a job that frees pins is resumed, then a pin that an earlier attempt has freed is no error', async () => {
    const { id } = await freshSite();
    const { knex } = world.container.database;
    const { unpin } = pinJobs({ knex, clock: { now: Date.now }, pins: world.container.services.pins.pins });
    const { data } = await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] });
    const input = { type: 'plugin', slug: ALPHA, autoUpdate: false };
    const item = { siteId: id, identifier: id, input, requestedBy: 'me', isOnlyItem: true } as LeasedItem;
    const attempt = { item, signal: new AbortController().signal, lease: HELD_LEASE };
    const { pins } = (await unpin.perform({ ...attempt, resumed: true })) as PinJobResult;
    assert.deepEqual([pins[0]?.pinId, pins[0]?.autoUpdate], [data[0]?.pin_id, 'off']);
    assert.deepEqual(await unpin.perform({ ...attempt, resumed: true }), { pins: [], errors: [] });
    await assert.rejects(unpin.perform({ ...attempt, resumed: false }), { code: 'svc_pin_not_found' });
  });

  it('when there are more pins and updates, then the lists need no more SQL statements', async () => {
    const ids = [(await freshSite()).id, (await freshSite()).id, (await freshSite()).id];
    const lists = async (include: string): Promise<number[]> => [
      await countStatements(world, () => get(`${PINS}?include=${include}`)),
      await countStatements(world, () => get(`/api/v2/updates/left-out?include=${include}`)),
    ];
    await setPins(world, { slug: ALPHA, version: '1.x', websites: ids });
    const few = await lists(String(ids[0]));
    await setPins(world, { slug: BETA, version: '1.0', websites: ids });
    await setPins(world, { slug: GAMMA, version: '1.0', websites: ids });
    assert.equal((await get(`/api/v2/updates/left-out?include=${ids.join()}`)).total, 6);
    assert.deepEqual(await lists(ids.join()), few);
    await world.request('DELETE', `/api/v2/sites/${ids[0]}/remove`);
    assert.equal((await get(`${PINS}?include=${ids.join()}`)).total, 6);
  });

  it('when more than 200 sites are selected, then the call is queued, and the job pins and frees them', async () => {
    const { knex } = world.container.database;
    for (let index = 0; index < 201; index++) {
      const site_id = await storeSite(knex, `queued-${index}.example`);
      const item = { slug: 'queued/queued.php', name: 'Queued', version: '1.0' };
      await knex('site_plugins').insert({ site_id, ...item, active: 1, must_use: 0, is_child: 0 });
    }
    const queued = (
      await world.request('POST', PINS, {
        body: { type: 'plugin', slug: 'queued/queued.php', version: '1.x', all_sites: true },
      })
    ).body;
    assert.deepEqual([queued.queued, queued.sites_queued, queued.errors], [true, 201, []]);
    const job = await world.finishedJob(queued.job_id);
    assert.deepEqual([job.data.type, job.data.partial], ['pin', 201]);
    const [{ result, error }] = job.items;
    assert.deepEqual(
      [result.pins[0].auto_update, result.errors[0].slug, error.code],
      ['pending', 'queued/queued.php', result.errors[0].code],
    );
    assert.equal((await get(`${PINS}?slug=queued/queued.php`)).total, 201);
    const query = 'type=plugin&slug=queued/queued.php&all_sites=true';
    const freed = (await world.request('DELETE', `${PINS}?${query}`)).body;
    const freeing = await world.finishedJob(freed.job_id);
    assert.deepEqual(
      [freeing.data.type, freeing.data.succeeded, freeing.items[0].result.pins[0].auto_update],
      ['unpin', 201, 'unknown'],
    );
    assert.equal((await get(`${PINS}?slug=queued/queued.php`)).total, 0);
  });

  it('when the caller is limited, then it selects, reads and frees only pins of its sites', async () => {
    const [mine, other] = [(await freshSite()).id, (await freshSite()).id];
    const limited = await callerWithin(world, { sites: [mine] });
    const body = { type: 'plugin', slug: ALPHA, version: '1.x', all_sites: true };
    const set = (await world.request('POST', PINS, { ...limited, body })).body;
    assert.deepEqual(
      set.data.map(({ site_id }: { site_id: number }) => site_id),
      [mine],
    );
    const [foreign] = (await setPins(world, { slug: ALPHA, version: '1.x', websites: [other] })).data;
    const list = (await world.request('GET', PINS, limited)).body;
    assert.deepEqual([list.total, list.data[0].site_id], [1, mine]);
    for (const method of ['GET', 'DELETE'])
      await world.request(method, `${PINS}/${foreign?.pin_id}`, { ...limited, expect: 404 });
    await world.request('PUT', `${PINS}/${foreign?.pin_id}`, { ...limited, body: { version: '3.x' }, expect: 404 });
    const named = { ...body, all_sites: false, websites: [other] };
    const refused = (await world.request('POST', PINS, { ...limited, body: named })).body;
    assert.deepEqual(itemErrorCodes(refused), [`${other} svc_site_not_found`]);
    const left = (await world.request('GET', '/api/v2/updates/left-out', limited)).body;
    assert.deepEqual([left.total, left.data[0].site_id], [1, mine]);
    const query = `type=plugin&slug=${encodeURIComponent(ALPHA)}&all_sites=true`;
    const freed = (await world.request('DELETE', `${PINS}?${query}`, limited)).body;
    assert.equal(freed.data.length, 1);
    assert.equal((await get(`${PINS}/${foreign?.pin_id}`)).data.site_id, other);
  });

  it('when the input is invalid or the right is missing, then the call is rejected', async () => {
    const { id } = await freshSite();
    const good = { type: 'plugin', slug: ALPHA, version: '1.x', websites: [id] };
    const refused = async (method: string, path: string, body?: object): Promise<string[]> => [
      ...new Set(await refusedFields(world, method, path, body)),
    ];
    for (const version of ['', 'x', '1.x.2', '<1.x', '>1', '~1', '1.x-x', 'latest'])
      assert.deepEqual(await refused('POST', PINS, { ...good, version }), ['body.version'], version);
    assert.deepEqual(await refused('POST', PINS, { ...good, type: 'core' }), ['body.type']);
    assert.deepEqual(await refused('POST', PINS, { ...good, websites: [] }), ['body.websites']);
    assert.deepEqual(await refused('POST', PINS, { ...good, all_sites: true }), ['body.websites']);
    assert.deepEqual(await refused('POST', PINS, { ...good, groups: ['x'] }), ['body.websites', 'body.groups']);
    assert.deepEqual(await refused('DELETE', `${PINS}?type=plugin&slug=x`), ['query.websites']);
    await world.request('POST', PINS, { body: { ...good, websites: [], groups: ['nowhere'] }, expect: 404 });
    const [pin] = (await setPins(world, { slug: ALPHA, version: '1.x', websites: [id] })).data;
    const path = `${PINS}/${pin?.pin_id}`;
    assert.deepEqual(await refused('PUT', path, { version: '1.x.y' }), ['body.version']);
    for (const as of ['viewer', 'reader'] as const) {
      await world.request('POST', PINS, { as, body: good, expect: 403 });
      await world.request('DELETE', path, { as, expect: 403 });
    }
    await world.request('GET', `${PINS}/999999`, { expect: 404 });
    const { headers } = await world.request('GET', path);
    const etag = { 'if-match': headers.etag ?? '' };
    await world.request('PUT', path, { body: { note: 'new' }, headers: etag });
    await world.request('PUT', path, { body: { note: 'newer' }, headers: etag, expect: 412 });
    await world.request('DELETE', path, { headers: etag, expect: 412 });
  });
});
