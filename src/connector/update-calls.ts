import { ChildBadAnswerError, InvalidError } from '../shared/errors.ts';
import { decodeCoreUpgrade, decodeUpgrades } from './answers/upgrades.ts';
import { isSlug } from './answers/values.ts';
import type { ChildLink, ChildSite, UpgradeAnswer } from './child-site.ts';
import type { Fields } from './payload.ts';

/** Sends a signed call of the kind `update`: with its long deadline, and never twice. */
export type SendUpdate = (link: ChildLink, functionName: string, fields: Fields) => Promise<unknown>;

export type UpdateCalls = Pick<ChildSite, 'upgradeCore' | 'upgradePlugins' | 'upgradeThemes' | 'upgradeTranslations'>;

/** The calls that install updates (protocol 4.3). */
export function updateCalls(send: SendUpdate): UpdateCalls {
  async function upgrade(
    link: ChildLink,
    functionName: string,
    fields: Fields,
    decode: (answer: unknown) => UpgradeAnswer | null,
  ): Promise<UpgradeAnswer> {
    const decoded = decode(await send(link, functionName, fields));
    if (!decoded) throw new ChildBadAnswerError('The site sent an answer that is not understood.', { afterSend: true });
    return decoded;
  }

  return {
    upgradeCore: (link) => upgrade(link, 'upgrade', {}, decodeCoreUpgrade),
    upgradePlugins: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'plugin', list: encodedList(slugs) }, decodeUpgrades),
    upgradeThemes: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'theme', list: listOf(slugs) }, decodeUpgrades),
    upgradeTranslations: async (link, slugs) =>
      upgrade(link, 'upgradetranslation', { type: 'translation', list: encodedList(slugs) }, decodeUpgrades),
  };
}

function listOf(slugs: readonly string[]): string {
  if (slugs.length === 0 || !slugs.every(isSlug))
    throw new InvalidError(
      'ability_invalid_input',
      'An update is named by its slug, without commas, bars or control characters.',
    );
  return slugs.join(',');
}

/** The child decodes the list of plugins and of translations once more than that of themes (protocol 1.4). */
const encodedList = (slugs: readonly string[]): string => listOf(slugs).replace(/[%+]/g, encodeURIComponent);
