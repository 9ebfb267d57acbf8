import { defineActivitySegment } from '../activity-segment.ts';

export const comments = defineActivitySegment({
  name: 'comments',
  kind: 'comment',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
  unknownActor: 'Guest',
});
