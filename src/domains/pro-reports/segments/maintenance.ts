import { defineChildRecordSegment } from './child-record-segment.ts';

export const maintenance = defineChildRecordSegment({
  name: 'maintenance',
  action: 'process',
  fields: ['details', 'result'],
  kind: 'maintenance',
  itemOf: ({ details, result }) => ({ details, result }),
});
