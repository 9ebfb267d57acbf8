import { activitySegment } from '../activity-segment.ts';

export const media = activitySegment({
  name: 'media',
  kind: 'media',
  fields: ['name'],
  itemOf: ({ name }) => ({ name: name ?? '' }),
});
