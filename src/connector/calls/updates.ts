import { randomBytes } from 'node:crypto';
import { ChildBadAnswerError, ChildRefusedError, isOutcomeUnknown } from '../../shared/child-call-errors.ts';
import { InvalidError } from '../../shared/errors.ts';
import { hasCriticalSentence } from '../../shared/wordpress-pages.ts';
import { decodeCoreUpgrade, decodeUpgrades, refusedUpgrade, type UpgradeContext } from '../answers/upgrades.ts';
import { asObject, isSlug, readCount, readField, type JsonRecord } from '../answers/json-values.ts';
import { decodeSwitchRefusal } from '../answers/auto-update-switch.ts';
import type { ChildLink, UpdateCalls, UpgradeResult } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { FormFields } from '../form-encoding.ts';
import { isBusyPage } from '../error-pages.ts';
import { collectSecrets } from '../secret-detection.ts';
import type { SignedCaller } from '../signed-call.ts';

const VISIT = 'bulk_settings_manager_visit_site_as_browser';

type UpgradeDecoder = (answer: unknown, reading: UpgradeContext) => UpgradeResult | null;

export function createUpdateCalls(caller: SignedCaller): UpdateCalls {
  async function upgrade(
    link: ChildLink,
    functionName: string,
    fields: FormFields,
    slugs: readonly string[],
    decode: UpgradeDecoder,
  ): Promise<UpgradeResult> {
    let preface = '';
    const onPreface = (html: string): void => {
      preface = html;
    };
    let answer: unknown;
    try {
      answer = await caller.signed(link, { kind: 'update', functionName, fields, reads: false, onPreface });
    } catch (error) {
      if (error instanceof ChildBadAnswerError && isOutcomeUnknown(error) && error.data['child_message'] !== undefined)
        return refusedUpgrade(functionName, slugs, error.data);
      throw error;
    }
    const decoded = decode(answer, { preface, secrets: collectSecrets(link) });
    if (!decoded) throw unexpectedAnswerError(true);
    return decoded;
  }

  /** Makes the child open a page of its own site as the connected administrator. */
  async function visit(link: ChildLink, url: string, args: FormFields): Promise<JsonRecord | null> {
    const fields = { action: VISIT, url, args };
    const call = { kind: 'action', functionName: 'bulk_settings_manager', fields, reads: true } as const;
    return asObject(await caller.signed(link, call));
  }

  return {
    async switchAutoUpdate(link, { type, slug }, on) {
      if (!isSlug(slug)) throw new InvalidError([{ path: 'slug', message: 'must not contain control characters' }]);
      if (type === 'theme' && DECODED_TWICE.test(slug)) throw unswitchableTheme();
      const asset = encodeURIComponent(encodeOnceMore(slug));
      const post = `action=toggle-auto-updates&type=${type}&asset=${asset}&state=${on ? 'enable' : 'disable'}`;
      const fields = { action: VISIT, url: 'wp-admin/admin-ajax.php', args: { post, nonce: '_ajax_nonce=updates' } };
      const call = { kind: 'action', functionName: 'bulk_settings_manager', fields, reads: false } as const;
      const refusal = decodeSwitchRefusal(await caller.signed(link, call));
      if (refusal) throw refusal;
    },
    async isNetworkActive(link, slug) {
      const pageAt = async (url: string, get: string): Promise<string> => {
        const page = readField(await visit(link, url, { get, post: '' }), 'content');
        return typeof page === 'string' ? page : '';
      };
      const list = await pageAt('wp-admin/network/plugins.php', 'plugin_status=active');
      const rows = [...list.matchAll(PLUGIN_ROW)];
      if (rows.length > 0) return rows.some((row) => isActiveRow(row, slug));
      // WordPress refuses the list to users without rights in the network too. It refuses them no list of their sites.
      const isSingleSite = isRefusedPage(list) && isRefusedPage(await pageAt('wp-admin/my-sites.php', ''));
      return isSingleSite ? false : null;
    },
    async opensHomePage(link) {
      const get = `sitefleet-check=${randomBytes(8).toString('hex')}`;
      const answer = await visit(link, 'index.php', { get, post: '', search: HOME_PAGE });
      const count = (name: string): number => readCount(readField(answer, name));
      if (count('search_ok_counter') > 0) return count('search_fail_counter') === 0;
      const page = readField(answer, 'content');
      if (typeof page === 'string' && isBusyPage(page)) throw busySite();
      return false;
    },
    upgradeCore: (link) => upgrade(link, 'upgrade', {}, ['wordpress'], decodeCoreUpgrade),
    upgradePlugins: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'plugin', list: encodeSlugList(slugs) }, slugs, decodeUpgrades),
    upgradeThemes: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'theme', list: joinSlugs(slugs) }, slugs, decodeUpgrades),
    upgradeTranslations: async (link, slugs) =>
      upgrade(link, 'upgradetranslation', { type: 'translation', list: encodeSlugList(slugs) }, slugs, decodeUpgrades),
  };
}

const HOME_PAGE = {
  ok: ['wp-content/', 'wp-includes/', 'wpadminbar'],
  fail: ['wp-die-message', 'id="error-page"', 'There has been a critical error on'],
};

/**
 * True for the row of an active plugin in the list of a network. If no plugin is active, WordPress shows all installed
 * plugins instead, so the row of the plugin must have the class `active`.
 */
const isActiveRow = ([, classes = '', file = '']: RegExpExecArray, slug: string): boolean =>
  file === escapeAttribute(slug) && classes.split(/\s+/).includes('active');

/** True for a page with a message of WordPress instead of content. False for the message of a fatal error. */
const isRefusedPage = (page: string): boolean => page.includes('wp-die-message') && !hasCriticalSentence(page);

const PLUGIN_ROW = /<tr\s+class="([^"]{0,200})"[^>]{0,1000}?\sdata-plugin="([^"]{1,300})"/g;
const escapeAttribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#039;').replaceAll('<', '&lt;');

const busySite = (): ChildRefusedError =>
  new ChildRefusedError('http', 'blocked', 'The child plugin found its own site busy or in maintenance.', {
    outcome: 'not_run',
  });

const DECODED_TWICE = /[%+]/;
const encodeOnceMore = (slug: string): string => slug.replace(/[%+]/g, encodeURIComponent);

/**
 * Child plugins from 6.0 on look for the theme before they decode its name, and fail with a fatal error if they do not
 * find it.
 */
const unswitchableTheme = (): ChildBadAnswerError =>
  new ChildBadAnswerError('The automatic update of a theme whose folder has a % or + cannot be switched.', {
    outcome: 'not_run',
  });

function joinSlugs(slugs: readonly string[]): string {
  if (slugs.length === 0 || !slugs.every(isSlug))
    throw new InvalidError([
      { path: 'slugs', message: 'must not contain commas, vertical bars or control characters' },
    ]);
  return slugs.join(',');
}

/** Encodes a list of plugins or translations. The child decodes it once more than a list of themes (protocol 1.4). */
const encodeSlugList = (slugs: readonly string[]): string => encodeOnceMore(joinSlugs(slugs));
