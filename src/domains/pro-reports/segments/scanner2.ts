import { defineChildRecordSegment } from './child-record-segment.ts';

/** Scans of the site by Wordfence. */
export const scanner2 = defineChildRecordSegment({
  name: 'scanner2',
  action: 'scan',
  fields: ['result', 'details', 'issues'],
  kind: 'scanner2',
  itemOf: ({ result, details, issues }) => ({ result, details, issues }),
});
