import { activitySegment, versionFields } from '../activity-segment.ts';

export const core = activitySegment({
  name: 'core',
  kind: 'core',
  fields: ['old_version', 'new_version'],
  itemOf: versionFields,
});
