import { defineActivitySegment, versionFields } from '../activity-segment.ts';

export const themes = defineActivitySegment({
  name: 'themes',
  kind: 'theme',
  fields: ['name', 'slug', 'old_version', 'new_version'],
  itemOf: (change) => ({ name: change.name ?? '', slug: change.key, ...versionFields(change) }),
});
