import { defineActivitySegment, versionFields } from '../activity-segment.ts';

export const plugins = defineActivitySegment({
  name: 'plugins',
  kind: 'plugin',
  fields: ['name', 'slug', 'old_version', 'new_version'],
  itemOf: (change) => ({ name: change.name ?? '', slug: change.key, ...versionFields(change) }),
});
