import type { ChildPlugin } from '../../connector/child-site.ts';
import { sortAndDeduplicate, replaceRows } from '../../db/replace-rows.ts';
import { truncate } from '../../shared/text.ts';
import type { SyncSection } from '../sites/index.ts';

export const pluginsSection: SyncSection<ChildPlugin[]> = {
  name: 'plugins',
  subjects: [],
  read: ({ plugins }) =>
    plugins &&
    sortAndDeduplicate(
      plugins.map(({ slug, name, version, active, mustUse, isChildPlugin }) => ({
        slug: truncate(slug, 255),
        name: truncate(name, 255),
        version: truncate(version, 64),
        active,
        mustUse,
        isChildPlugin,
      })),
      ({ slug }) => slug,
    ),
  write: (trx, values) =>
    replaceRows(
      trx,
      { table: 'site_plugins', key: ['slug'], columns: ['name', 'version', 'active', 'must_use', 'is_child'] },
      values.map(({ site, value: plugins, isFirst }) => ({
        siteId: site.id,
        isFirst,
        rows: plugins.map(({ slug, name, version, active, mustUse, isChildPlugin }) => ({
          site_id: site.id,
          slug,
          name,
          version,
          active: Number(active),
          must_use: Number(mustUse),
          is_child: Number(isChildPlugin),
        })),
      })),
    ),
};
