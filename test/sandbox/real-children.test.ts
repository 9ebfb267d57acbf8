import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { startFleet, type Fleet, type SimulatedSite } from '../../src/sandbox/index.ts';
import { UPDATE_FAILURES, type UpdateFailure } from '../../src/sandbox/operations/defects.ts';
import { pluginForPackage, themeForPackage } from '../../src/sandbox/state/catalogue.ts';
import { callSigned, sendSigned, connectedState, send, signedForm, encode, type Form } from './support/dashboard.ts';
import { until } from '../support/until.ts';

/** Recorded behavior of real children in cases that are easy to get wrong. */

interface Recorded {
  case: string;
  fields: Form;
  status: number;
  type: string;
  cut: boolean;
  body: string;
  answer: Form | null;
}

function recordingsIn<T extends { case: string }>(path: string): Map<string, T> {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const lines = text.trim().split('\n');
  return new Map(lines.map((line) => JSON.parse(line) as T).map((each) => [each.case, each]));
}

const ACTIONS = recordingsIn<Recorded>('recordings/actions.jsonl');
const UPDATES = recordingsIn<{ case: string; answer: Form }>('../connector/recordings/updates-that-fail.jsonl');

const ALPHA = 'rig-alpha/rig-alpha.php';
const BETA = 'rig-beta/rig-beta.php';
type Item = { slug: string; active: number };
const object = (value: unknown): Form => value as Form;
const pluginsIn = (answer: unknown): string[] =>
  (object(object(answer)['sync'])['plugins'] as Item[]).map(({ slug, active }) => (active ? `${slug}+` : slug)).sort();
const keys = (value: unknown): string[] => Object.keys(object(value)).sort();

describe('sandbox compared with real children', () => {
  let fleet: Fleet;
  let next = 0;
  before(async () => {
    fleet = await startFleet({ sites: 40, primedKeys: () => connectedState() });
  });
  after(() => fleet.close());

  /** Returns a site with the plugins of the recorded site. */
  function furnished(...files: string[]): SimulatedSite {
    const site = fleet.sites[next++];
    assert.ok(site);
    site.state.plugins.delete('hello.php');
    for (const file of [ALPHA, BETA, ...files]) {
      const definition = { ...pluginForPackage(file.split('/')[0] ?? '', '1.0'), file };
      const plugin = { definition, version: '1.0', active: file === ALPHA, update: '1.1', mu: false };
      site.state.plugins.set(file, plugin);
    }
    const definition = themeForPackage('rig-theme', '1.0');
    site.state.themes.set('rig-theme', { definition, version: '1.0', update: '1.1' });
    site.touch();
    return site;
  }
  const request = (site: SimulatedSite, { fields: { function: name, ...form } }: Recorded) =>
    sendSigned(site, name as string, form);
  const recorded = (name: string): Recorded => {
    const found = ACTIONS.get(name);
    assert.ok(found, name);
    return found;
  };

  describe('deletion of plugins', () => {
    const GAMMA = 'rig-gamma/rig-gamma.php';
    for (const [name, prepare] of [
      ['delete-plugin-inactive', () => furnished('hello.php')],
      ['delete-plugin-active', () => activated(furnished(GAMMA), GAMMA)],
      ['delete-plugin-again', () => furnished()],
      ['delete-plugin-two', () => furnished('akismet/akismet.php')],
      ['delete-plugin-unwritable', () => unwritable(furnished(), BETA)],
    ] as const)
      it(`when the case is ${name}, then both have the same plugins afterwards`, async () => {
        const site = prepare();
        const real = recorded(name);
        const { json } = await request(site, real);
        const [made, seen] = [object(json), real.answer ?? {}];
        const asked = (real.fields['plugin'] as string).split('||');
        // Compares only the plugins to delete: if they are listed, and never as active.
        const about = (answer: Form): string[] =>
          pluginsIn(answer).filter((slug) => asked.includes(slug.replace('+', '')));
        assert.deepEqual(about(made), about(seen));
        const data = (answer: Form): Form => object(answer['other_data']);
        assert.deepEqual(keys(data(made)['plugin_action_data']), keys(data(seen)['plugin_action_data']));
        assert.equal(data(made)['duration_bulk'], data(seen)['duration_bulk']);
        assert.deepEqual(keys(data(made)), keys(data(seen)));
        const later = object(await callSigned(site, 'stats'))['plugins'] as Item[];
        assert.deepEqual(
          later.map(({ slug }) => slug).sort(),
          [...site.state.plugins.keys()].sort(),
          'the next report is true',
        );
      });

    function activated(site: SimulatedSite, file: string): SimulatedSite {
      const plugin = site.state.plugins.get(file);
      if (plugin) plugin.active = true;
      return site;
    }
    function unwritable(site: SimulatedSite, file: string): SimulatedSite {
      site.defects.unwritable.add(file);
      return site;
    }
  });

  describe('gateway timeout while PHP continues', () => {
    const LATER = 400;
    for (const name of ['inactive-plugin', 'active-plugin', 'theme', 'core', 'install', 'activate'])
      it(`when the gateway times out for ${name}, then the work is done afterwards`, async () => {
        const site = furnished();
        site.state.core.update = '9.9';
        site.defects.namedPackages = true;
        const real = recorded(`gateway-timeout-${name}`);
        const { function: fn, ...form } = real.fields;
        site.faultQueue.push({ kind: 'goes-on', doneMs: LATER, function: fn as string });
        const before = JSON.stringify([...site.state.plugins.values(), ...site.state.themes.values(), site.state.core]);
        const stateNow = () =>
          JSON.stringify([...site.state.plugins.values(), ...site.state.themes.values(), site.state.core]);
        const sent = send(site.url, encode(signedForm(fn as string, form)));
        if (real.cut) await assert.rejects(sent, { code: 'ECONNRESET' });
        else {
          const { status, body, headers } = await sent;
          assert.deepEqual([status, body, headers['content-type']], [real.status, real.body, real.type]);
        }
        assert.equal(stateNow(), before, 'nothing has changed yet');
        const meanwhile = await sendSigned(site, 'stats');
        if (name === 'active-plugin') {
          const text = 'Briefly unavailable for scheduled maintenance. Check back in a minute.';
          assert.deepEqual([meanwhile.status, meanwhile.body, meanwhile.headers['retry-after']], [503, text, '600']);
        } else assert.equal(meanwhile.status, 200);
        await until(() => stateNow() !== before, 'the work to be done');
        assert.equal((await sendSigned(site, 'stats')).status, 200);
      });
  });

  describe('failed updates', () => {
    /** Recording of each kind of failure. Few were recorded for themes. */
    const PLUGIN: Record<UpdateFailure, string> = {
      no_package: 'no_package-alone',
      download_failed: '404',
      incompatible_archive: 'corrupt-zip',
      incompatible_archive_empty: 'empty-zip',
      incompatible_archive_no_plugins: 'zip-without-plugin',
      files_not_writable: 'unwritable-plugin-folder',
      mkdir_failed_ziparchive: 'unwritable-upgrade-folder',
      remove_old_failed: 'unwritable-plugins-folder',
      incompatible_wp_required_version: 'requires-wp-alone',
      incompatible_php_required_version: 'requires-php-alone',
    };
    const THEME: Partial<Record<UpdateFailure, string>> = {
      no_package: 'theme-no_package',
      download_failed: 'theme-404',
      incompatible_archive: 'theme-corrupt-zip',
      files_not_writable: 'theme-unwritable',
      incompatible_wp_required_version: 'theme-requires-wp',
    };
    const answerOf = (name: string): Form => {
      const found = UPDATES.get(name);
      assert.ok(found, name);
      return found.answer;
    };
    const compared = (answer: Form, slug: string): unknown => {
      const { updated_data: data, upgrade_error_codes: codes } = object(answer['other_data']);
      const { name: _name, ...item } = object(object(data)[slug]);
      return {
        upgrades: answer['upgrades'],
        errors: answer['upgrades_error'],
        code: codes && object(codes)[slug],
        item,
      };
    };

    for (const failure of UPDATE_FAILURES)
      it(`when a plugin update fails with ${failure}, then the response equals the recorded one`, async () => {
        const site = furnished();
        site.defects.updateFailures.set(BETA, failure);
        const made = await callSigned(site, 'upgradeplugintheme', { type: 'plugin', list: BETA });
        assert.deepEqual(compared(made, BETA), compared(answerOf(`update-fail-${PLUGIN[failure]}`), BETA));
        assert.equal(site.state.plugins.has(BETA), failure !== 'remove_old_failed');
      });

    for (const [failure, name] of Object.entries(THEME) as [UpdateFailure, string][])
      it(`when a theme update fails with ${failure}, then the response equals the recorded one`, async () => {
        const site = furnished();
        site.defects.updateFailures.set('rig-theme', failure);
        const made = await callSigned(site, 'upgradeplugintheme', { type: 'theme', list: 'rig-theme' });
        assert.deepEqual(compared(made, 'rig-theme'), compared(answerOf(`update-fail-${name}`), 'rig-theme'));
      });

    it('when a failed update follows a good one, then the response has its old version', async () => {
      const site = furnished();
      site.defects.updateFailures.set(BETA, 'no_package');
      const made = await callSigned(site, 'upgradeplugintheme', { type: 'plugin', list: `${ALPHA},${BETA}` });
      assert.deepEqual(compared(made, BETA), compared(answerOf('update-fail-no_package-with-other'), BETA));
    });

    it('when a core or translation update fails, then the text before the frame has the reason', async () => {
      const site = furnished();
      site.state.core.update = '9.9';
      for (const [failure, name] of [
        ['no_package', 'core-no-package'],
        ['download_failed', 'core-404'],
        ['incompatible_archive', 'core-corrupt'],
      ] as const) {
        site.defects.updateFailures.set('core', failure);
        const { body, json } = await sendSigned(site, 'upgrade');
        const steps = (html: string): number => html.split('&#8230;</p>').length;
        const real = UPDATES.get(name) as unknown as { preface: string; answer: Form };
        assert.equal(steps(body), steps(real.preface), name);
        assert.deepEqual([object(json)['upgrade'], object(json)['other_data']], [real.answer['upgrade'], undefined]);
      }
      site.state.translations = [
        { type: 'plugin', slug: 'rig-alpha', language: 'de_DE', version: '1.0', name: 'Rig Alpha' },
      ];
      site.defects.updateFailures.set('rig-alpha', 'download_failed');
      const { body, json } = await sendSigned(site, 'upgradetranslation', { type: 'translation', list: 'rig-alpha' });
      const { answer } = UPDATES.get('translation-404') ?? { answer: {} };
      assert.deepEqual(compared(object(json), 'rig-alpha'), compared(answer, 'rig-alpha'));
      assert.match(body, /<div class="lp-error"><p>Download failed\. Not Found<\/p>/);
    });

    it('when an update breaks the site, then the response reports success and every later request fails', async () => {
      const site = furnished();
      site.defects.breaking.add(ALPHA);
      const made = await callSigned(site, 'upgradeplugintheme', { type: 'plugin', list: ALPHA });
      assert.deepEqual(made['upgrades'], { [ALPHA]: true });
      assert.deepEqual(
        [(await sendSigned(site, 'stats')).status, (await send(site.url, '', { method: 'GET', path: '/' })).status],
        [500, 500],
      );
    });
  });

  describe('failed activations and installs', () => {
    it('when activate-fatal, activate-two-one-fatal or activate-wp_die is sent, then the site dies as recorded', async () => {
      const site = furnished('rec-fatal/rec-fatal.php', 'rec-die/rec-die.php', 'hello.php');
      site.defects.fatalOnActivation.add('rec-fatal/rec-fatal.php');
      site.defects.stopsActivation.set('rec-die/rec-die.php', 'This plugin needs the bcmath extension.');
      for (const name of ['activate-fatal', 'activate-two-one-fatal', 'activate-wp_die']) {
        const real = recorded(name);
        const { status, body, json } = await request(site, real);
        assert.deepEqual([status, body, json], [real.status, real.body, undefined], name);
      }
      assert.deepEqual(
        [BETA, 'rec-fatal/rec-fatal.php', 'rec-die/rec-die.php', 'hello.php'].map(
          (file) => site.state.plugins.get(file)?.active,
        ),
        [true, false, false, false],
      );
    });

    it('when activate-requires-wp is sent, then the response reports success and the plugin stays inactive', async () => {
      const file = 'rec-requires/rec-requires.php';
      const site = furnished(file);
      site.defects.falseSuccesses.add(file);
      const { json } = await request(site, recorded('activate-requires-wp'));
      assert.deepEqual(keys(object(object(json)['other_data'])['plugin_action_data']), [file]);
      assert.ok(pluginsIn(json).includes(file));
    });

    it('when install-404, -folder-exists, -two-one-bad or -no-plugin-inside is sent, then the response equals the recorded one', async () => {
      const site = furnished();
      site.defects.namedPackages = true;
      site.defects.failingPackages.add('none');
      site.defects.foreignPackages.add('rec-noplugin');
      assert.equal((await request(site, recorded('install-ok-activate'))).status, 200);
      for (const name of ['install-404', 'install-folder-exists', 'install-two-one-bad']) {
        const real = recorded(name);
        const { status, json } = await request(site, real);
        assert.deepEqual([status, json], [real.status, undefined], name);
      }
      assert.ok([...site.state.plugins.keys()].some((file) => file.startsWith('rig-noisy/')));
      const { json } = await request(site, recorded('install-no-plugin-inside'));
      const { answer } = recorded('install-no-plugin-inside');
      const told = ({ installation, install_results, other_data }: Form): unknown => ({
        installation,
        install_results,
        other_data,
      });
      assert.deepEqual(told(object(json)), told(answer ?? {}));
    });
  });
});
