import { activitySegment } from '../activity-segment.ts';

export const pages = activitySegment({
  name: 'pages',
  kind: 'page',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
