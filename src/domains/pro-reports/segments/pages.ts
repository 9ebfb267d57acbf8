import { defineActivitySegment } from '../activity-segment.ts';

export const pages = defineActivitySegment({
  name: 'pages',
  kind: 'page',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
});
