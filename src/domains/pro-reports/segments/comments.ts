import { activitySegment } from '../activity-segment.ts';

/** A comment goes by the title of what it was written on. */
export const comments = activitySegment({
  name: 'comments',
  kind: 'comment',
  fields: ['title'],
  itemOf: ({ name }) => ({ title: name ?? '' }),
  nobody: 'Guest',
});
