import { defineChildRecordSegment } from './child-record-segment.ts';

/** Checks of the site from outside by Sucuri. */
export const scanner1 = defineChildRecordSegment({
  name: 'scanner1',
  action: 'checks',
  fields: ['status', 'webtrust'],
  kind: 'scanner1',
  itemOf: ({ status, webtrust }) => ({ status, webtrust }),
});
