import { defineActivitySegment } from '../activity-segment.ts';

export const menus = defineActivitySegment({
  name: 'menus',
  kind: 'menu',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
