import { defineActivitySegment } from '../activity-segment.ts';

export const users = defineActivitySegment({
  name: 'users',
  kind: 'user',
  fields: ['name', 'role'],
  itemOf: ({ name, before, after }) => ({ name: name ?? '', role: after['role'] ?? before['role'] ?? null }),
});
