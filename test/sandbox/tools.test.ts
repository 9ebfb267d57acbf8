import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { callSigned, sendSigned, connectedState, type Form } from './support/dashboard.ts';
import { shapeDifferences, shapeOf } from './support/shape.ts';

const read = (name: string): string => readFileSync(new URL(`recordings/${name}`, import.meta.url), 'utf8');

interface Row {
  name: string;
  fields: Form & { function: string };
  status: number;
  answer: unknown;
}

/** Fields that depend on the recorded site and not on the child. */
const OWN_VALUES = new Set(['db', 'size', 'home', 'policy_enabled_at', 'faviIconUrl', 'update', 'sync', 'result']);

describe('tools of a simulated and a real site', () => {
  const rows = read('tools.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  let fleet: Fleet;
  let site: SimulatedSite;

  before(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    site = fleet.sites[0] as SimulatedSite;
    site.state.plugins.delete('wp-super-cache/wp-cache.php');
    site.state.plugins.delete('mainwp-child-reports/mainwp-child-reports.php');
    site.state.shop = null;
    site.defects.failingPackages.add('http://127.0.0.1:8199/none.png');
    site.defects.fatalOnActivation.add('no_such_function_x();');
    site.performWpAdminAction({ do: 'install-plugin', folder: 'akismet' });
  });
  after(() => fleet.close());

  for (const { name, fields, status, answer } of rows)
    it(`when the case is ${name}, then the response of ${fields.function} equals the recorded one`, async () => {
      const { function: functionName, ...form } = fields;
      site.state.iconUrl = name.endsWith('-set') ? 'wp-content/uploads/2026/11/icon.png' : '';
      const made = await sendSigned(site, functionName, form);
      assert.equal(made.status, status);
      if (answer === null) return;
      if (Array.isArray(answer)) return assert.deepEqual(made.json, answer);
      const without = (value: unknown): Form =>
        Object.fromEntries(Object.entries(value as Form).filter(([key]) => !OWN_VALUES.has(key)));
      assert.deepEqual(without(made.json), without(answer));
      assert.deepEqual(Object.keys(made.json as Form).sort(), Object.keys(answer as Form).sort());
      if ('sync' in (answer as Form)) assert.deepEqual(shapeDifferences(shapeOf(answer), shapeOf(made.json)), []);
    });

  it('when maintenance runs, then the named items are deleted and tags are kept', async () => {
    const { rows: steps } = JSON.parse(read('tool-maintenance_site.json')) as { rows: unknown[][] };
    const { state } = site;
    const ofPosts = (status: string): number =>
      [...state.posts.values()].filter((post) => post.status === status).length;
    const ofComments = (status: string): number =>
      [...state.comments.values()].filter((comment) => comment.status === status).length;
    const found = (): Record<string, number> => ({
      revisions: state.leftovers.revisions.reduce((sum, count) => sum + count, 0),
      'auto-drafts': state.leftovers.autoDrafts,
      'trashed posts': ofPosts('trash'),
      spam: ofComments('spam'),
      pending: ofComments('hold'),
      'trashed comments': ofComments('trash'),
      'empty categories': state.leftovers.emptyCategories,
      'empty tags': state.leftovers.emptyTags,
    });
    const first = { ...found() };
    for (const [name, form, status, answer, , counts] of steps.slice(1) as [
      string,
      Form,
      number,
      Form,
      number,
      Form,
    ][]) {
      const made = await sendSigned(site, 'maintenance_site', form);
      assert.deepEqual([made.status, made.json], [status, answer], name);
      const after = found();
      for (const [kind, before] of Object.entries(first)) {
        const real = Number(counts[kind]);
        // The content of the sites differs. Deleted items must be deleted on both, and kept items kept on both.
        if (kind === 'revisions' || real > 0)
          assert.equal(after[kind], real > 0 && kind !== 'revisions' ? before : real, name);
        else assert.equal(after[kind], 0, name);
      }
    }
  });

  it('when a backup is made or a file is uploaded, then it is stored until it is deleted', async () => {
    const { db } = await callSigned(site, 'backup', { type: 'db', fileUID: 'a' });
    assert.match(String(db), /^dbBackup-a-\d+\.sql\.zip$/);
    assert.ok(site.state.backups.has(String(db)));
    await callSigned(site, 'delete_backup', { del: db });
    assert.equal(site.state.backups.has(String(db)), false);
    assert.ok(site.state.uploads.has('wp-content/uploads/pic.png'));
  });

  it('when a security fix is skipped, then success is still reported, and the next check has the real state', async () => {
    site.state.hardening = { db_reporting: { good: true, fixed: false }, php_reporting: { good: true, fixed: false } };
    const fixed = await callSigned(site, 'securityFix', { feature: 'all', skip_features: ['php_reporting'] });
    assert.deepEqual([fixed['db_reporting'], fixed['php_reporting']], ['Y', 'Y']);
    const { db_reporting, php_reporting } = await callSigned(site, 'security');
    assert.deepEqual([db_reporting, php_reporting], ['Y', 'Y_UNABLE']);
  });

  it('when syncdata omits sections, then only these sections are missing', async () => {
    const { keys_with_all_off, rows: sizes } = JSON.parse(read('syncdata-sizes.json')) as {
      keys_with_all_off: string[];
      rows: { syncdata: string; keys_missing: string[] }[];
    };
    const all = Object.keys(await callSigned(site, 'stats', { syncdata: '{}', optimize: 1 }));
    const names = sizes[1]?.keys_missing ?? [];
    const off = Object.fromEntries([...names, 'recent_posts'].map((name) => [name, 0]));
    const left = await callSigned(site, 'stats', { syncdata: JSON.stringify(off), optimize: 1 });
    assert.deepEqual(Object.keys(left).sort(), [...keys_with_all_off].sort());
    assert.deepEqual(
      names.filter((name) => !name.startsWith('mainwp_cache') && !all.includes(name)),
      [],
    );
  });
});
