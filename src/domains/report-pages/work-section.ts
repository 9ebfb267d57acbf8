import type { ReportItem, SiteReport } from '../pro-reports/index.ts';
import { plainItem, shortList, type BodyLimits } from './body-lists.ts';
import { keyFiguresOf, segmentIn, UPDATE_SEGMENTS } from './key-figures.ts';
import type { BodySection, ItemList, ListItem } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import type { TextKey } from '../../languages/index.ts';
import { cleanText } from './texts.ts';
import { softwareName } from './white-label.ts';

export function workSection(report: SiteReport, formats: ReportFormats, limits: BodyLimits): BodySection | null {
  const lists = [
    ...updatesList(report, formats, limits),
    ...contentList(report, formats),
    ...securityList(report, formats),
    ...hoursList(report, formats, limits),
  ];
  const isKnown = UPDATE_SEGMENTS.some((name) => segmentIn(report, name));
  if (lists.length === 0 && !isKnown) return null;
  const paragraphs = lists.length === 0 ? [formats.text('work.none')] : [];
  return { title: formats.text('section.work'), paragraphs, lists, chart: null };
}

interface Update {
  name: string;
  old: string;
  current: string;
  times: number;
}

function updatesList(report: SiteReport, formats: ReportFormats, { updates: most }: BodyLimits): ItemList[] {
  const { updates: total } = keyFiguresOf(report);
  if (!total) return [];
  const updates = UPDATE_SEGMENTS.flatMap((name) => mergeUpdates(itemsOf(report, name), name, formats));
  const kinds = UPDATE_SEGMENTS.flatMap((name) => {
    const count = segmentIn(report, name)?.counts['updated'] ?? 0;
    return count === 0 ? [] : [formats.text(`work.updates.${name}`, { count })];
  });
  const sentence = formats.text('work.updates.counts', { count: total, kinds: formats.language.list(kinds) });
  const shown = updates.length === most + 1 ? updates : updates.slice(0, most);
  const more = total - shown.reduce((sum, { times }) => sum + times, 0);
  return [
    {
      ...{ title: formats.text('work.updates'), sentence, items: shown.map((each) => updateItem(each, formats)) },
      more: more > 0 ? formats.text('list.more', { count: more }) : null,
    },
  ];
}

const itemsOf = (report: SiteReport, name: (typeof UPDATE_SEGMENTS)[number]): ReportItem[] =>
  (segmentIn(report, name)?.items ?? []).filter(({ action }) => action === 'updated');

/** Merges the updates of one plugin or theme, from the first version to the last. `items` must be newest first. */
function mergeUpdates(
  items: readonly ReportItem[],
  segment: (typeof UPDATE_SEGMENTS)[number],
  formats: ReportFormats,
): Update[] {
  const merged = new Map<string, Update>();
  for (const item of items) {
    const key = String(item['slug'] ?? item['name'] ?? '');
    const known = merged.get(key);
    const [old, current] = [cleanText(String(item['old_version'] ?? '')), cleanText(String(item['new_version'] ?? ''))];
    const name = segment === 'core' ? formats.text('software.wordpress') : softwareName(item, formats);
    merged.set(key, known ? { ...known, old, times: known.times + 1 } : { name, old, current, times: 1 });
  }
  return [...merged.values()];
}

function updateItem({ name, old, current, times }: Update, formats: ReportFormats): ListItem {
  const versions = old !== '' && current !== '' ? `${old} → ${current}` : current;
  const detail = times > 1 ? formats.text('work.updates.times', { text: versions, count: times }) : versions;
  return plainItem(name, detail.trim() === '' ? null : detail);
}

const CONTENT: readonly (readonly [key: TextKey, counts: readonly (readonly [SegmentOfContent, string])[]])[] = [
  [
    'work.content.created',
    [
      ['posts', 'created'],
      ['pages', 'created'],
    ],
  ],
  [
    'work.content.updated',
    [
      ['posts', 'updated'],
      ['pages', 'updated'],
    ],
  ],
  [
    'work.content.removed',
    [
      ['posts', 'trashed'],
      ['posts', 'deleted'],
      ['pages', 'trashed'],
      ['pages', 'deleted'],
    ],
  ],
  ['work.content.media', [['media', 'uploaded']]],
  [
    'work.content.comments',
    ['replied', 'approved', 'unapproved', 'trashed', 'spam', 'deleted'].map((action) => ['comments', action] as const),
  ],
];
type SegmentOfContent = 'posts' | 'pages' | 'media' | 'comments';

function contentList(report: SiteReport, formats: ReportFormats): ItemList[] {
  const changes = CONTENT.flatMap(([key, counts]) => {
    const count = counts.reduce((sum, [name, of]) => sum + (segmentIn(report, name)?.counts[of] ?? 0), 0);
    return count === 0 ? [] : [formats.text(key, { count })];
  });
  if (changes.length === 0) return [];
  const sentence = formats.text('work.content.recorded', { changes: formats.language.list(changes) });
  return [{ title: formats.text('work.content'), sentence, items: [], more: null }];
}

const SCANS = ['scanner1', 'scanner2', 'securityplugin1'] as const;

function securityList(report: SiteReport, formats: ReportFormats): ItemList[] {
  const { fixedVulnerabilities: fixed, backups } = keyFiguresOf(report);
  const scans = SCANS.reduce((sum, name) => sum + (segmentIn(report, name)?.total ?? 0), 0);
  const sentences = [
    ...(fixed > 0 ? [formats.text('work.security.fixed', { count: fixed })] : []),
    ...(scans > 0 ? [formats.text('work.security.scans', { count: scans })] : []),
    ...(backups ? [formats.text('work.backups.created', { count: backups })] : []),
  ];
  if (sentences.length === 0) return [];
  return [{ title: formats.text('work.security'), sentence: sentences.join(' '), items: [], more: null }];
}

function hoursList(report: SiteReport, formats: ReportFormats, { items: most }: BodyLimits): ItemList[] {
  const { workMinutes, tasks } = keyFiguresOf(report);
  if (!workMinutes || tasks === 0) return [];
  const items = (segmentIn(report, 'misc')?.items ?? [])
    .filter(({ kind }) => kind === 'task')
    .map((task) =>
      plainItem(
        cleanText(String(task['name'] ?? '')),
        formats.duration(Number(task['duration_seconds']) / 60, 'short'),
      ),
    );
  const sentence = formats.text('work.hours.total', { duration: formats.duration(workMinutes), count: tasks });
  return [shortList(items, { title: formats.text('work.hours'), sentence, most, total: tasks }, formats)];
}
