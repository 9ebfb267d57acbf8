import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { decodeSwitchRefusal } from '../../src/connector/answers/auto-update-switch.ts';
import type { ChildLink } from '../../src/connector/index.ts';
import { ChildBadAnswerError } from '../../src/shared/child-call-errors.ts';
import { InvalidError } from '../../src/shared/errors.ts';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { pooledKeyPairs } from '../support/key-pool.ts';
import { createLink, makeConnector, SERVER_URL, thrownBy, type TestConnector } from './support.ts';

interface Recorded {
  case: string;
  answer: { content: string };
}

const RECORDED = readFileSync(new URL('recordings/auto-update-switch.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);
const recorded = (name: string): unknown[] => RECORDED.filter((each) => each.case === name).map(({ answer }) => answer);

describe('switch of automatic updates', () => {
  describe('on a simulated site', () => {
    let fleet: Fleet;
    let site: SimulatedSite;
    let connector: TestConnector;
    let link: ChildLink;
    before(async () => {
      fleet = await startFleet({ sites: 1 });
      site = fleet.sites[0] as SimulatedSite;
      connector = makeConnector();
      const pair = await pooledKeyPairs().next();
      const target = { siteId: 1, url: site.url, httpAuth: null, verifyTls: true };
      const { admin, adminPassword: password } = site;
      const registration = { admin, server: SERVER_URL, publicKeyPem: pair.publicKeyPem, password, uniqueId: null };
      await connector.child.register(target, { ...registration, regverify: null });
      link = { ...createLink(site.url, pair), admin };
    });
    after(async () => {
      await connector.close();
      await fleet.close();
    });

    it('when an item has an unusual name, then the site switches just that one', async () => {
      const { plugins, autoUpdates } = site.state;
      const [known] = plugins.values();
      assert.ok(known);
      for (const slug of ['a b/c+d%20e&f=g.php', 'ä/ä.php', `q'uote/q.php`]) {
        plugins.set(slug, { ...known, mu: false });
        autoUpdates.plugin.add(slug);
        await connector.child.switchAutoUpdate(link, { type: 'plugin', slug }, false);
        assert.equal(autoUpdates.plugin.has(slug), false, slug);
        await connector.child.switchAutoUpdate(link, { type: 'plugin', slug }, true);
        assert.equal(autoUpdates.plugin.has(slug), true, slug);
      }
    });

    it('when the item is not installed, then the error has the words of the site', async () => {
      const error = await thrownBy(() =>
        connector.child.switchAutoUpdate(link, { type: 'plugin', slug: 'none' }, false),
      );
      assert.ok(error instanceof ChildBadAnswerError);
      assert.equal(error.data['child_message'], 'Invalid data. The item does not exist.');
    });

    it('when the slug cannot be sent, then nothing is called', async () => {
      const before = site.requests.length;
      const switchTheme = (slug: string) => connector.child.switchAutoUpdate(link, { type: 'theme', slug }, false);
      assert.ok((await thrownBy(() => switchTheme('a\nb'))) instanceof InvalidError);
      for (const slug of ['a+b', 'a%20b'])
        assert.ok((await thrownBy(() => switchTheme(slug))) instanceof ChildBadAnswerError, slug);
      assert.equal(site.requests.length, before);
    });
  });

  it('when a real site confirms the switch, then there is no error', () => {
    for (const name of ['plugin off', 'plugin on', 'theme off', 'theme on'])
      for (const answer of recorded(name)) assert.equal(decodeSwitchRefusal(answer), null, name);
  });

  it('when a real site refuses the switch, then the error repeats its reason', () => {
    for (const answer of recorded('plugin that is not installed')) {
      const { outcome, child_message: message } = decodeSwitchRefusal(answer)?.data ?? {};
      assert.deepEqual([outcome, message], ['answered', 'Invalid data. The item does not exist.']);
    }
    for (const answer of [...recorded('theme that is not installed'), ...recorded('unknown ajax action')])
      assert.ok(decodeSwitchRefusal(answer));
  });

  it('when the content is hostile or of another plugin, then only a success at its end counts', () => {
    for (const content of ['0', '-1', '', '{"success":"true"}', '{"success":true', '{"success":false}', null, 7, {}])
      assert.ok(decodeSwitchRefusal({ success: 1, content }), JSON.stringify(content));
    for (const answer of [null, [], 'x', { content: '{"success":false,"data":{"error":{"a":1}}}' }])
      assert.ok(decodeSwitchRefusal(answer));
    assert.equal(decodeSwitchRefusal({ content: '<b>Notice</b>\n{"success":true}\n' }), null);
    assert.ok(decodeSwitchRefusal({ content: '{"success":true}{"success":false}' }));
  });
});
