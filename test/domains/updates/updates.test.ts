import assert from 'node:assert/strict';
import type {
  ChildLink,
  ChildUpdate,
  InventoryCalls,
  SyncCalls,
  UpdateCalls,
} from '../../../src/connector/child-site.ts';
import { carefulGuard } from '../../../src/domains/updates/careful-guard.ts';
import type { GuardedUpdate } from '../../../src/domains/updates/guard.ts';
import { GuardedRun } from '../../../src/domains/updates/guarded-run.ts';
import type { ProbeReading } from '../../../src/domains/updates/health-readings.ts';
import { HealthWatch } from '../../../src/domains/updates/health-watch.ts';
import { SiteHealth, UpdateGuards, updatesSection } from '../../../src/domains/updates/index.ts';
import { UpdateRules } from '../../../src/domains/updates/left-out.ts';
import { UpdateSender } from '../../../src/domains/updates/update-sender.ts';
import { installedPluginOf } from '../../../src/domains/updates/update.ts';
import { ChildRefusedError } from '../../../src/shared/child-call-errors.ts';
import { plugin, statsWith } from '../inventory/support.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { HELD_LEASE } from '../../support/jobs.ts';

const read = (updates: ChildUpdate[]) => updatesSection.read(statsWith({ updates }));
const update = (type: ChildUpdate['type'], slug: string, newVersion = '2.0'): ChildUpdate => ({
  type,
  slug,
  name: `Name of ${slug}`,
  currentVersion: '1.0',
  newVersion,
});

describe('plugin after its update', () => {
  const find = (...plugins: [slug: string, version: string, name?: string][]) =>
    installedPluginOf(
      statsWith({ plugins: plugins.map(([slug, version, name = slug]) => plugin(slug, { version, name })) }),
      update('plugin', 'shop/shop.php'),
    )?.slug;

  it('when its main file is there, then no other file of the folder counts', () => {
    assert.equal(find(['shop/shop.php', '1.0'], ['shop/main.php', '2.0']), 'shop/shop.php');
  });

  it('when its main file is gone, then it is the file of the folder that has the offered version or a later one', () => {
    assert.equal(find(['shop/old.php', '1.0'], ['shop/main.php', '2.1']), 'shop/main.php');
    assert.equal(find(['shop/old.php', '1.0'], ['shops/main.php', '2.0'], ['shop.php', '2.0']), undefined);
  });

  it('when several files of the folder fit, then only one with the same name is the plugin', () => {
    const name = 'Name of shop/shop.php';
    assert.equal(find(['shop/a.php', '2.0'], ['shop/b.php', '2.0', name]), 'shop/b.php');
    assert.equal(find(['shop/a.php', '2.0'], ['shop/b.php', '2.0']), undefined);
    assert.equal(find(['shop/a.php', '2.0', name], ['shop/b.php', '2.0', name]), undefined);
  });

  it('when the plugin is a single file, then no other file is it', () => {
    const single = update('plugin', 'hello.php');
    assert.equal(installedPluginOf(statsWith({ plugins: [plugin('hi.php', { version: '2.0' })] }), single), undefined);
  });
});

describe('health after an update', () => {
  it('when the second reading of a broken probe is missing, then the site is not broken', async () => {
    const before = { admin_visit: { status: 200, isFromWordPress: true } };
    const readings: (ProbeReading | null)[] = [{ status: 500, isFromWordPress: false }, null];
    const isWell = ({ isFromWordPress }: ProbeReading): boolean => isFromWordPress;
    const health = new SiteHealth(
      [
        {
          ...{ name: 'admin_visit', isSigned: false, isWell },
          isBroken: (reading) => !isWell(reading),
          take: () => Promise.resolve(readings.shift() ?? null),
        },
      ],
      1,
    );
    const after = await health.takeUnsignedAfter(1, before);
    assert.deepEqual([readings, after, health.compare(after, before).state], [[], {}, 'unknown']);
  });
});

describe('resumed careful update that a rule leaves out meanwhile', () => {
  const slug = 'shop/shop.php';
  const resume = async (phase: 'preparing' | 'updating', fault: Error | null = null) => {
    const planned = update('plugin', slug);
    let isActive = false;
    const child = {
      stats: () => Promise.resolve(statsWith({ plugins: [plugin(slug, { active: isActive })], updates: [planned] })),
      pluginAction: (_link: ChildLink, action: string) => {
        if (fault) return Promise.reject(fault);
        isActive = action === 'activate';
        return Promise.resolve({ after: null });
      },
    } as unknown as InventoryCalls & SyncCalls & UpdateCalls;
    const site = { id: 1, url: '', name: '', status: 'connected', clientId: null, urlKey: '' } as const;
    const link = {} as ChildLink;
    const record: GuardedUpdate = {
      ...{ type: 'plugin', slug, guard: 'careful', fallback: { id: 1, version: '1.0' }, target: null },
      ...{ wasActive: true, phase },
    };
    const start = { isThorough: true, before: {}, isGuarded: true };
    const watch = new HealthWatch(new SiteHealth([], 1), { siteId: 1 }, start);
    const guarded = new GuardedRun(
      {
        clock: { now: () => 1 },
        guards: new UpdateGuards([carefulGuard(child)]),
        readPageError: () => Promise.resolve(null),
      },
      {
        ...{ site, link, actor: 'me', lease: HELD_LEASE, oneOfMany: false, itemId: null, records: [record] },
        ...{ unguarded: [], watch, store: () => Promise.resolve() },
      },
    );
    const sync = { request: () => Promise.resolve({}) } as unknown as ConstructorParameters<
      typeof UpdateSender
    >[0]['sync'];
    const rules = new UpdateRules([{ type: 'plugin', slug, pin: null }]);
    const { skipped, steps } = await new UpdateSender({ child, sync }).run([planned], {
      ...{ site, link, resumed: true, before: null, watch, rules, guarded },
    });
    return { isActive, skipped: skipped.length, unproven: steps.map(({ unproven }) => unproven?.phase) };
  };

  for (const phase of ['preparing', 'updating'] as const)
    it(`when the attempt before ended in the phase ${phase}, then the plugin is active again`, async () => {
      assert.deepEqual(await resume(phase), { isActive: true, skipped: 1, unproven: [] });
    });

  it('when the plugin cannot be activated at once, then the update stays open for a later look', async () => {
    const busy = new ChildRefusedError('http', 'blocked', 'The site is busy.');
    assert.deepEqual(await resume('preparing', busy), { isActive: false, skipped: 0, unproven: ['preparing'] });
  });
});

describe('updates section of a sync', () => {
  let opened: TestDatabase;
  const site = { id: 0, urlKey: 'example.com' };
  before(async () => {
    opened = await openTestDatabase();
    const [id] = await opened.database.knex('sites').insert({
      url: 'https://example.com/',
      url_key: site.urlKey,
      name: 'Example',
      name_key: 'example',
      status: 'connected',
      created_at: 1,
      updated_at: 1,
    });
    site.id = id as number;
  });
  after(() => opened.close());
  const store = (updates: ChildUpdate[]) =>
    opened.database.knex.transaction(async (trx) => {
      const value = read(updates) ?? { kinds: [], items: [] };
      return (await updatesSection.write(trx, [{ site, value, now: Date.now(), isFirst: false }]))?.get(site.id);
    });
  const rows = () =>
    opened.database
      .knex('site_updates')
      .orderBy(['type', 'slug'])
      .select<Record<string, unknown>[]>(
        'type',
        'slug',
        'name',
        'current_version',
        'new_version',
        'site_key',
        'ignored',
      );

  it('when the section is stored, then the revision of the update lists changes', () =>
    assert.deepEqual(updatesSection.subjects, ['updates']));

  it('when the child sent no updates, then the stored ones stay', () =>
    assert.equal(updatesSection.read(statsWith({})), undefined));

  it('when the same updates arrive in any order, then the value is the same', () => {
    const [a, b] = [update('theme', 'b'), update('plugin', 'a/a.php')];
    assert.deepEqual(read([a, b])?.items, [b, a]);
    assert.deepEqual(read([b, a])?.items, [b, a]);
  });

  it('when rows are stored, then they have the site key and are counted by type', async () => {
    const counters = await store([
      update('core', 'wordpress'),
      update('plugin', 'a/a.php'),
      update('plugin', 'b/b.php'),
      update('theme', 'a/a.php'),
      update('translation', 'akismet', '5.1'),
      update('translation', 'akismet', '5.2'),
    ]);
    assert.deepEqual(counters, { core_updates: 1, plugin_updates: 2, theme_updates: 1, translation_updates: 1 });
    const stored = await rows();
    assert.deepEqual(
      stored.map(({ type, slug }) => `${String(type)} ${String(slug)}`),
      ['core wordpress', 'plugin a/a.php', 'plugin b/b.php', 'theme a/a.php', 'translation akismet'],
    );
    assert.deepEqual(stored[1], {
      type: 'plugin',
      slug: 'a/a.php',
      name: 'Name of a/a.php',
      current_version: '1.0',
      new_version: '2.0',
      site_key: 'example.com',
      ignored: 0,
    });
  });

  it('when a rule ignores an update, then its row is marked and not counted, and is deleted with the update', async () => {
    const rule = { site_id: site.id, type: 'plugin', slug: 'b/b.php', name: 'b', site_key: site.urlKey, created_at: 1 };
    await opened.database.knex('ignored_updates').insert(rule);
    const counters = await store([update('plugin', 'b/b.php', '3.0'), update('theme', 'b/b.php')]);
    assert.deepEqual(counters, { core_updates: 0, plugin_updates: 0, theme_updates: 1, translation_updates: 0 });
    assert.deepEqual(
      (await rows()).map(({ type, new_version, ignored }) => [type, new_version, ignored]),
      [
        ['plugin', '3.0', 1],
        ['theme', '2.0', 0],
      ],
    );
    await opened.database.knex('ignored_updates').delete();
    const counted = await store([update('plugin', 'b/b.php', '3.0')]);
    assert.equal(counted && counted.plugin_updates, 1);
    assert.deepEqual(
      (await rows()).map(({ slug, ignored }) => [slug, ignored]),
      [['b/b.php', 0]],
    );
  });

  it('when a report is empty, then all rows are deleted', async () => {
    await store([]);
    assert.deepEqual(await rows(), []);
  });
});
