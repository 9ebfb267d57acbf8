import { InvalidError } from '../../shared/errors.ts';
import { decodeItemAction } from '../answers/item-actions.ts';
import { decodeAbandonedItems } from '../answers/inventory.ts';
import { asObject, readField, isSlug } from '../answers/json-values.ts';
import type { ChildLink, InventoryCalls, ItemActionResult } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import type { SignedCaller } from '../signed-call.ts';

export function createInventoryCalls(caller: SignedCaller): InventoryCalls {
  async function act(
    link: ChildLink,
    kind: 'plugin' | 'theme',
    action: string,
    slugs: readonly string[],
  ): Promise<ItemActionResult> {
    if (slugs.length === 0 || !slugs.every(isSlug))
      throw new InvalidError([
        { path: 'slugs', message: 'must not contain commas, vertical bars or control characters' },
      ]);
    const fields = { action, [kind]: slugs.join('||') };
    const answer = await caller.signed(link, { kind: 'action', functionName: `${kind}_action`, fields, reads: false });
    const decoded = decodeItemAction(answer, kind);
    if (!decoded) throw unexpectedAnswerError(true);
    return decoded;
  }

  return {
    pluginAction: (link, action, slugs) => act(link, 'plugin', action, slugs),
    themeAction: (link, action, slugs) => act(link, 'theme', action, slugs),

    async installPackage(link, { kind, url, secret, overwrite, activate }) {
      const fields = {
        type: kind,
        url: JSON.stringify(url),
        ...(activate && { activatePlugin: 'yes' }),
        ...(overwrite && { overwrite: 1 }),
      };
      const call = { kind: 'update', functionName: 'installplugintheme', fields, reads: false, secret } as const;
      const answer = asObject(await caller.signed(link, call));
      if (readField(answer, 'installation') !== 'SUCCESS') throw unexpectedAnswerError(true);
    },

    async checkAbandoned(link, kind) {
      const fields = { which: kind };
      const answer = await caller.signed(link, { kind: 'sync', functionName: 'check_abandoned', fields, reads: true });
      const sync = readField(asObject(answer), 'sync');
      const [plugins, themes] = [
        readField(asObject(sync), 'plugins_outdate_info'),
        readField(asObject(sync), 'themes_outdate_info'),
      ];
      const abandoned =
        kind === 'plugin' ? decodeAbandonedItems(plugins, undefined) : decodeAbandonedItems(undefined, themes);
      if (!abandoned) throw unexpectedAnswerError(false);
      return abandoned.items;
    },
  };
}
