import { defineActivitySegment } from '../activity-segment.ts';

export const media = defineActivitySegment({
  name: 'media',
  kind: 'media',
  fields: ['name'],
  itemOf: ({ name }) => ({ name: name ?? '' }),
});
