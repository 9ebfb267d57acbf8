import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { pluginForPackage, themeForPackage } from '../../src/sandbox/state/catalogue.ts';
import { connectedState, sendSigned, type Form } from './support/dashboard.ts';

interface Row {
  case: string;
  child: string;
  fields: Form & { function: string };
  status: number;
  answer: Form & { content?: string; keys?: string[] };
  after?: [plugins: string[], themes: string[]];
}

const FILE = new URL('../connector/recordings/auto-update-switch.jsonl', import.meta.url);
const ODD = 'odd+one/a+b ä&c.php';

describe('automatic updates of a simulated and a real site', () => {
  const rows = readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
  let fleet: Fleet;
  let site: SimulatedSite;
  before(async () => {
    fleet = await startFleet({ sites: 1, primedKeys: connectedState });
    site = fleet.sites[0] as SimulatedSite;
    const { plugins, themes } = site.state;
    for (const file of ['rig-alpha/rig-alpha.php', 'rig-beta/rig-beta.php', ODD]) {
      const definition = { ...pluginForPackage(file.split('/')[0] ?? '', '1.0'), file };
      plugins.set(file, { definition, version: '1.0', active: true, update: '1.1', mu: false });
    }
    for (const stylesheet of ['rig-theme', 'rig-theme-two'])
      themes.set(stylesheet, { definition: themeForPackage(stylesheet, '1.0'), version: '1.0', update: '1.1' });
  });
  after(() => fleet.close());

  for (const { case: name, child, fields, status, answer, after: expected } of rows)
    it(`when the case is ${name} with child ${child}, then response and state equal the recorded ones`, async () => {
      if (name === 'plugin off') {
        site.setChildVersion(child);
        site.state.changes = [];
        site.state.autoUpdates.plugin = new Set(['rig-alpha/rig-alpha.php', 'rig-beta/rig-beta.php']);
        site.state.autoUpdates.theme = new Set(['rig-theme', 'rig-theme-two']);
      }
      const { function: functionName, ...form } = fields;
      const made = await sendSigned(site, functionName, form);
      assert.equal(made.status, status);
      const json = made.json as Row['answer'];
      const { keys, ...recorded } = answer;
      if (keys) assert.deepEqual(Object.keys(json).sort(), keys);
      if (recorded.content?.startsWith('<p>')) assert.ok(recorded.content.startsWith(json.content ?? '?'));
      else for (const [key, value] of Object.entries(recorded)) assert.deepEqual(json[key], value, key);
      const { plugin, theme } = site.state.autoUpdates;
      if (expected) assert.deepEqual([[...plugin].sort(), [...theme].sort()], expected);
    });

  it('when a child from 6.0 on switches an automatic update, then its changes log has an entry', async () => {
    const row = rows.find((each) => each.case === 'theme off');
    assert.ok(row);
    const { function: functionName, ...form } = row.fields;
    for (const [version, count] of [
      ['5.4.1', 0],
      ['6.1', 1],
    ] as const) {
      site.setChildVersion(version);
      site.state.changes = [];
      await sendSigned(site, functionName, form);
      assert.deepEqual(
        site.state.changes.map(({ typeId, action }) => [typeId, action]),
        Array.from({ length: count }, () => [1470, 'disabled']),
      );
    }
  });
});
