import { recordSegment } from './record-segment.ts';

export const maintenance = recordSegment({
  name: 'maintenance',
  action: 'process',
  fields: ['details', 'result'],
  kind: 'maintenance',
  itemOf: ({ details, result }) => ({ details, result }),
});
