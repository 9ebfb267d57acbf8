import { InvalidError } from '../../shared/errors.ts';
import { decodeItemAction } from '../answers/actions.ts';
import { isSlug } from '../answers/values.ts';
import type { ChildLink, InventoryCalls, ItemActionAnswer } from '../child-site.ts';
import { notUnderstood } from '../classify.ts';
import type { SignedCaller } from '../signed-call.ts';

/** The calls that switch and delete plugins and themes (protocol 4.2). */
export function createInventoryCalls(caller: SignedCaller): InventoryCalls {
  async function act(
    link: ChildLink,
    kind: 'plugin' | 'theme',
    action: string,
    slugs: readonly string[],
  ): Promise<ItemActionAnswer> {
    if (slugs.length === 0 || !slugs.every(isSlug))
      throw new InvalidError([{ path: 'slugs', message: 'must have no commas, bars or control characters' }]);
    const fields = { action, [kind]: slugs.join('||') };
    const answer = await caller.signed(link, { kind: 'action', functionName: `${kind}_action`, fields, reads: false });
    const decoded = decodeItemAction(answer, kind);
    if (!decoded) throw notUnderstood(true);
    return decoded;
  }

  return {
    pluginAction: (link, action, slugs) => act(link, 'plugin', action, slugs),
    themeAction: (link, action, slugs) => act(link, 'theme', action, slugs),
  };
}
