import { activitySegment } from '../activity-segment.ts';

/** Changes of comments. Each is shown with the title of the commented post. */
export const comments = activitySegment({
  name: 'comments',
  kind: 'comment',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
  unknownActor: 'Guest',
});
