import { toIso } from '../../shared/clock.ts';
import { ACTIVITY_CHANGE_TYPES, type ActivitySegment, type LoggedChange } from '../changes/index.ts';
import type { ReportItem } from './report.ts';
import { defineSegment, emptySegmentContent, type Segment } from './segment.ts';

interface ActivitySegmentSpec {
  name: ActivitySegment;
  kind: string;
  fields: readonly string[];
  itemOf: (change: LoggedChange) => ReportItem;
  unknownActor?: string;
}

export function defineActivitySegment({
  name,
  kind,
  fields,
  itemOf,
  unknownActor: nobody = '',
}: ActivitySegmentSpec): Segment {
  const changes = ACTIVITY_CHANGE_TYPES[name];
  const actionByType = new Map(
    Object.entries(changes).flatMap(([action, types]) => types.map((type) => [type, action])),
  );
  const toItem = (change: LoggedChange): ReportItem => ({
    action: actionByType.get(change.type) ?? '',
    ...itemOf(change),
    date: toIso(change.at),
    author: change.actor || nobody,
  });
  const ownSegment = defineSegment({
    name,
    changes,
    actions: Object.keys(changes),
    fields: ['action', ...fields, 'date', 'author'],
    tokens: { kind, fields: { new_version: 'current.version' } },
    async read(sources, { range }) {
      const { newest, total, counts } = await sources.activity(ownSegment);
      // Without entries, nobody knows if something changed before the site was added, so the source is `none`.
      const isEmpty = Object.values(counts).every((count) => count === 0);
      if (isEmpty && range.until <= sources.site.knownSince) return emptySegmentContent(counts);
      return { source: 'change-log', items: newest.map(toItem), total, counts, summary: {} };
    },
    async *stream(sources) {
      for await (const change of sources.streamedActivity(ownSegment)) yield toItem(change);
    },
  });
  return ownSegment;
}

export const versionFields = ({ before, after }: LoggedChange): ReportItem => ({
  old_version: before['version'] ?? null,
  new_version: after['version'] ?? null,
});
