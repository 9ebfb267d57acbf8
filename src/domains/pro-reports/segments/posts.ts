import { activitySegment } from '../activity-segment.ts';

export const posts = activitySegment({
  name: 'posts',
  kind: 'post',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
