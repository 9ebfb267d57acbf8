import { activitySegment } from '../activity-segment.ts';

/** A comment has the title of its post. */
export const comments = activitySegment({
  name: 'comments',
  kind: 'comment',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
  unknownActor: 'Guest',
});
