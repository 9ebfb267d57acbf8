import { defineActivitySegment, versionFields } from '../activity-segment.ts';

export const core = defineActivitySegment({
  name: 'core',
  kind: 'core',
  fields: ['old_version', 'new_version'],
  itemOf: versionFields,
});
