import { omitEmptyValues } from '../../shared/changed-values.ts';
import { truncate } from '../../shared/text.ts';
import type { ProvenChange } from '../sites/index.ts';
import { siteSlugOf, type ItemOnSite } from './site-item.ts';
import type { StoredPackage } from './package.ts';

/**
 * Returns the changes that a site shows after a call, for the change log. The changes never include the activation of a
 * theme, which is a separate action. `after` is undefined if the site could not be read, and null if it does not have
 * the item.
 */
export function provenInstallChanges(
  stored: StoredPackage,
  before: ItemOnSite | null,
  after: ItemOnSite | null | undefined,
): ProvenChange[] {
  if (after === undefined) return [];
  const { kind } = stored;
  const name = truncate(after?.name || before?.name || stored.name, 255);
  const thing = {
    name,
    key: siteSlugOf(stored),
    before: omitEmptyValues({ version: before?.version }),
    after: omitEmptyValues({ version: after?.version }),
  };
  const changes: ProvenChange[] = [];
  if (after && after.version !== before?.version) {
    const from = before ? ` in place of ${truncate(before.version, 64)}` : '';
    const description = `Installed version ${truncate(after.version, 64)} of the ${kind} ${name}${from}.`;
    changes.push({ type: `${kind}.installed`, description, thing });
  }
  if (!after && before)
    changes.push({ type: `${kind}.deleted`, description: `The ${kind} ${name} no longer exists on the site.`, thing });
  if (kind === 'plugin' && after && after.active !== (before?.active ?? false)) {
    const verb = after.active ? 'Activated' : 'Deactivated';
    changes.push({ type: `plugin.${verb.toLowerCase()}`, description: `${verb} the plugin ${name}.`, thing });
  }
  return changes;
}
