import { ChildBadAnswerError, InvalidError, isOutcomeUnknown } from '../../shared/errors.ts';
import { decodeCoreUpgrade, decodeUpgrades, refusedUpgrade, type UpgradeContext } from '../answers/upgrades.ts';
import { isSlug } from '../answers/json-values.ts';
import type { ChildLink, UpdateCalls, UpgradeResult } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { FormFields } from '../form-encoding.ts';
import { collectSecrets } from '../secret-detection.ts';
import type { SignedCaller } from '../signed-call.ts';

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

  return {
    upgradeCore: (link) => upgrade(link, 'upgrade', {}, ['wordpress'], decodeCoreUpgrade),
    upgradePlugins: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'plugin', list: encodeSlugList(slugs) }, slugs, decodeUpgrades),
    upgradeThemes: async (link, slugs) =>
      upgrade(link, 'upgradeplugintheme', { type: 'theme', list: joinSlugs(slugs) }, slugs, decodeUpgrades),
    upgradeTranslations: async (link, slugs) =>
      upgrade(link, 'upgradetranslation', { type: 'translation', list: encodeSlugList(slugs) }, slugs, decodeUpgrades),
  };
}

function joinSlugs(slugs: readonly string[]): string {
  if (slugs.length === 0 || !slugs.every(isSlug))
    throw new InvalidError([
      { path: 'slugs', message: 'must not contain commas, vertical bars or control characters' },
    ]);
  return slugs.join(',');
}

/** Encodes a list of plugins or translations, which the child decodes once more than that of themes (protocol 1.4). */
const encodeSlugList = (slugs: readonly string[]): string => joinSlugs(slugs).replace(/[%+]/g, encodeURIComponent);
