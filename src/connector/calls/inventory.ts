import { InvalidError } from '../../shared/errors.ts';
import { decodeItemAction } from '../answers/actions.ts';
import { decodeAbandoned } from '../answers/inventory.ts';
import { asObject, field, isSlug } from '../answers/values.ts';
import type { ChildLink, InventoryCalls, ItemActionResult } from '../child-site.ts';
import { notUnderstood } from '../child-errors.ts';
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
    if (!decoded) throw notUnderstood(true);
    return decoded;
  }

  return {
    pluginAction: (link, action, slugs) => act(link, 'plugin', action, slugs),
    themeAction: (link, action, slugs) => act(link, 'theme', action, slugs),

    async checkAbandoned(link, kind) {
      const fields = { which: kind };
      const answer = await caller.signed(link, { kind: 'sync', functionName: 'check_abandoned', fields, reads: true });
      const sync = field(asObject(answer), 'sync');
      const [plugins, themes] = [
        field(asObject(sync), 'plugins_outdate_info'),
        field(asObject(sync), 'themes_outdate_info'),
      ];
      const abandoned = kind === 'plugin' ? decodeAbandoned(plugins, undefined) : decodeAbandoned(undefined, themes);
      if (!abandoned) throw notUnderstood(false);
      return abandoned.items;
    },
  };
}
