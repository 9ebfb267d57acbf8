import { activitySegment } from '../activity-segment.ts';

export const comments = activitySegment({
  name: 'comments',
  kind: 'comment',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
  unknownActor: 'Guest',
});
