import { activitySegment } from '../activity-segment.ts';

export const menus = activitySegment({
  name: 'menus',
  kind: 'menu',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
