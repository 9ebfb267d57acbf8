import { defineActivitySegment } from '../activity-segment.ts';

export const posts = defineActivitySegment({
  name: 'posts',
  kind: 'post',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
