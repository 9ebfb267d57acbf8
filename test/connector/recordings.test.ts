import assert from 'node:assert/strict';
import { decodeItemAction } from '../../src/connector/answers/item-actions.ts';
import { decodeRegistration } from '../../src/connector/answers/registration.ts';
import { decodeStats } from '../../src/connector/answers/stats.ts';
import { readFrame } from '../../src/connector/response-frame.ts';
import { toFrame } from '../support/frames.ts';
import { readRecording } from './support.ts';

describe('recorded responses', () => {
  it('when a site has updates, then its stats are read', () => {
    const stats = decodeStats(readRecording('09-stats'));
    assert.ok(stats);
    const { plugins, themes, updates, updatesByType, logs, recent, ...rest } = stats;
    assert.deepEqual(updatesByType, { kinds: ['core', 'plugin', 'theme', 'translation'], items: updates });
    assert.deepEqual(rest, {
      childVersion: '6.1',
      wpVersion: '7.0.4',
      phpVersion: '8.2.35',
      dbVersion: '10.11.19-MariaDB-0+deb12u1',
      ip: null,
      siteUrl: 'http://127.0.0.1:8154',
      activeThemeName: 'Twenty Twenty-Five',
      abandoned: { kinds: ['plugin', 'theme'], items: [] },
      security: {
        db_reporting: 'Y_UNABLE',
        php_reporting: 'Y_UNABLE',
        wp_uptodate: 'Y',
        phpversion_matched: 'Y',
        sslprotocol: 'N',
        debug_disabled: 'N',
        sec_outdated_plugins: 'N',
        sec_inactive_plugins: 'N',
        sec_outdated_themes: 'N',
        sec_inactive_themes: 'N',
      },
      health: { good: 0, recommended: 0, critical: 0 },
      moreChanges: false,
      guardFiles: [],
      regverify: null,
    });
    assert.deepEqual(recent?.kinds, ['comment', 'post', 'page']);
    assert.deepEqual(
      plugins?.map(({ slug, version, active }) => [slug, version, active]),
      [
        ['akismet/akismet.php', '5.7', true],
        ['dummy-a/dummy-a.php', '1.0.0', true],
        ['dummy-b/dummy-b.php', '1.0.0', true],
        ['dummy-c/dummy-c.php', '0.9.0', false],
        ['hello.php', '1.7.2', false],
        ['mainwp-child/mainwp-child.php', '6.1', true],
        ['mainwp-child-reports/mainwp-child-reports.php', '2.2.5', false],
        ['rig.php', '', true],
      ],
    );
    assert.deepEqual(
      plugins?.filter(({ isChildPlugin }) => isChildPlugin).map(({ name }) => name),
      ['MainWP Child'],
    );
    assert.deepEqual(
      plugins?.filter(({ mustUse }) => mustUse).map(({ slug }) => slug),
      ['rig.php'],
    );
    assert.equal(themes?.length, 5);
    assert.deepEqual(
      themes?.filter(({ active }) => active),
      [{ slug: 'twentytwentyfive', name: 'Twenty Twenty-Five', version: '1.5', active: true, parentOfActive: false }],
    );
    assert.deepEqual(updates, [
      { type: 'plugin', slug: 'dummy-a/dummy-a.php', name: 'Dummy A', currentVersion: '1.0.0', newVersion: '1.1.0' },
      { type: 'plugin', slug: 'dummy-b/dummy-b.php', name: 'Dummy B', currentVersion: '1.0.0', newVersion: '1.2.0' },
      { type: 'theme', slug: 'rig-theme', name: 'Rig Theme', currentVersion: '1.0.0', newVersion: '1.1.0' },
    ]);
    assert.deepEqual(logs, [
      {
        source: 'child_changes',
        externalId: '1.1795235235',
        at: 1795235235_000,
        context: 'user',
        action: 'connection_changed',
        summary: 'User "admin" connection changed',
        thing: { name: 'admin', key: null, before: {}, after: {} },
        user: 'admin',
        cursor: null,
      },
      {
        source: 'child_changes',
        externalId: '2.1795235235',
        at: 1795235235_000,
        context: 'user',
        action: 'logged_in',
        summary: 'User "admin" logged in',
        thing: { name: 'admin', key: null, before: {}, after: {} },
        user: 'admin',
        cursor: null,
      },
    ]);
  });

  it('when both logs are present, then they are read without their secrets', () => {
    const raw = readRecording('k1-stats-actions');
    const logs = decodeStats(raw)?.logs ?? [];
    const actions = logs.filter(({ source }) => source === 'child_actions');
    assert.deepEqual(actions[0], {
      source: 'child_actions',
      externalId: '17952354778727',
      at: 1795235477_089,
      context: 'plugin',
      action: 'deactivated',
      summary: '"Dummy A" plugin deactivated',
      thing: { name: 'Dummy A', key: 'dummy-a/dummy-a.php', before: {}, after: {} },
      user: 'admin',
      cursor: 1795235477.088766,
    });
    assert.equal(actions[1]?.summary, '"Rig Theme" theme activated');
    const changes = logs.filter(({ source }) => source === 'child_changes');
    assert.deepEqual(
      changes.map(({ externalId }) => Math.floor(Number(externalId))),
      Array.from({ length: 27 }, (_, index) => index + 1),
    );
    assert.ok(changes.every(({ at }) => at % 1000 === 0));
    const summaries = changes.map(({ summary }) => summary);
    assert.ok(summaries.includes('Plugin "Dummy B" activated'));
    assert.ok(summaries.includes('Post "Out of band" updated: categories'));
    assert.match(JSON.stringify(raw), /hash_key/);
    assert.doesNotMatch(JSON.stringify(logs), /hash_key|secure|verified_registers|[0-9a-f]{40}/);
    assert.equal(decodeStats(raw, { changesLimit: 27 })?.moreChanges, true);
    assert.equal(decodeStats(raw, { changesLimit: 28 })?.moreChanges, false);
  });

  it('when a site was registered, then the response is read', () => {
    const registered = decodeRegistration(readRecording('07-register-ok'));
    assert.equal(
      registered?.regverify,
      '61b2ed91fd6110767493f4cb88390d12d46992fe-771abdcb09629da73a95d4f146da48af73065d8c',
    );
    assert.equal(registered?.uniqueId, null);
    assert.equal(registered?.siteUrl, 'http://127.0.0.1:8154');
    assert.equal(registered?.stats.plugins?.length, 8);
    assert.equal(decodeRegistration(readRecording('09-stats')), null);
  });

  it('when plugin actions were run, then the responses are read', () => {
    const off = decodeItemAction(readRecording('40-plugin-deactivate'), 'plugin');
    assert.deepEqual(off?.claimed, ['dummy-a/dummy-a.php', 'dummy-b/dummy-b.php']);
    assert.equal(off?.after?.plugins?.find(({ slug }) => slug === 'dummy-a/dummy-a.php')?.active, false);
    assert.equal(off?.after?.logs, undefined);
    assert.deepEqual(decodeItemAction(readRecording('42b-plugin-delete-active'), 'plugin')?.claimed, [
      'akismet/akismet.php',
    ]);
    assert.deepEqual(decodeItemAction(readRecording('43-plugin-delete-self'), 'plugin')?.claimed, []);
    assert.deepEqual(decodeItemAction(readRecording('44-plugin-bad-action'), 'plugin')?.claimed, []);
    const missing = decodeItemAction(readRecording('45-plugin-activate-missing'), 'plugin');
    assert.deepEqual(missing?.claimed, ['nope/nope.php']);
    assert.equal(
      missing?.after?.plugins?.some(({ slug }) => slug === 'nope/nope.php'),
      false,
    );
  });

  it('when theme actions were run, then the responses are read', () => {
    const switched = decodeItemAction(readRecording('46-theme-activate'), 'theme');
    assert.deepEqual(switched?.claimed, ['rig-theme']);
    assert.equal(switched?.after?.themes?.find(({ slug }) => slug === 'rig-theme')?.active, true);
    assert.deepEqual(decodeItemAction(readRecording('47-theme-delete-active'), 'theme'), {
      claimed: [],
      refusals: [{ slug: 'rig-theme', reason: 'active_theme' }],
    });
    assert.deepEqual(decodeItemAction(readRecording('49-theme-delete'), 'theme')?.claimed, ['rig-theme-two']);
  });

  it('when update output precedes the frame, then the response is read', async () => {
    const { text_before_frame, answer } = readRecording('child-upgradeplugintheme') as Record<string, unknown>;
    assert.ok(String(text_before_frame).length > 500);
    assert.deepEqual(await readFrame(Buffer.from(`${String(text_before_frame)}${toFrame(answer)}`)), {
      kind: 'value',
      value: answer,
    });
  });
});
