import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import type { Content, ContentPatch } from './content.ts';

/** Fields whose values are logged. Other texts are too long for the change log, and passwords are secret. */
const LOGGED = {
  title: 'title',
  status: 'status',
  name: 'slug',
  date: 'date',
  commentStatus: 'comment_status',
  pingStatus: 'ping_status',
} as const satisfies Partial<Record<keyof Content & keyof ContentPatch, string>>;
const FIELDS = Object.keys(LOGGED) as (keyof typeof LOGGED)[];

export function describeContentEdit(before: Content, patch: ContentPatch, after: Content): ChangedObject {
  const sent = FIELDS.filter((field) => patch[field] !== undefined);
  const of = (content: Content) => Object.fromEntries(sent.map((field) => [LOGGED[field], content[field]]));
  return describeChangedObject({ name: after.title, key: before.id }, of(before), of(after));
}
