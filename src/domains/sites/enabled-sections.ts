import { SYNC_SECTIONS, type ChildStats, type PartialList, type SyncSectionName } from '../../connector/child-site.ts';

export type EnabledSections = ReadonlySet<SyncSectionName>;

/** Removes the sections that are not in `wanted`. A registration reports all sections, whatever the settings are. */
export function keepEnabledSections(stats: ChildStats, wanted: EnabledSections): ChildStats {
  if (wanted.size === SYNC_SECTIONS.length) return stats;
  const { plugins, themes, updatesByType, abandoned, security, health, logs, recent, ...rest } = stats;
  const updatesOfTypes = updatesByType && keepKinds(updatesByType, (type) => wanted.has(`${type}_updates`), 'type');
  const abandonedOfKinds = abandoned && keepKinds(abandoned, (kind) => wanted.has(`${kind}s_outdate_info`), 'kind');
  return {
    ...rest,
    ...(plugins && wanted.has('plugins') && { plugins }),
    ...(themes && wanted.has('themes') && { themes }),
    ...(updatesOfTypes && { updatesByType: updatesOfTypes }),
    ...(abandonedOfKinds && { abandoned: abandonedOfKinds }),
    ...(security && wanted.has('security_stats') && { security }),
    ...(health && wanted.has('health_site_status') && { health }),
    ...(logs && wanted.has('child_site_actions_data') && { logs }),
    ...(recent && wanted.has('child_site_actions_data') && { recent }),
  };
}

function keepKinds<Kind extends string, Key extends string, Item extends Record<Key, Kind>>(
  { kinds, items }: PartialList<Kind, Item>,
  isWanted: (kind: Kind) => boolean,
  kindIn: Key,
): PartialList<Kind, Item> | undefined {
  const left = kinds.filter(isWanted);
  return left.length > 0 ? { kinds: left, items: items.filter((item) => left.includes(item[kindIn])) } : undefined;
}
