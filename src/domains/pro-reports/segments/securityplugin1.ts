import { defineChildRecordSegment } from './child-record-segment.ts';

/** Scans of the site by iThemes Security. */
export const securityplugin1 = defineChildRecordSegment({
  name: 'securityplugin1',
  action: 'scan',
  fields: ['result', 'details', 'issues'],
  kind: 'securityplugin1',
  itemOf: ({ result, details, issues }) => ({ result, details, issues }),
});
