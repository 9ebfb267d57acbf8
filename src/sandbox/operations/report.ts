import { base64Record, record, text, type Fields } from '../protocol/form.ts';
import { phpMap } from '../protocol/frame.ts';
import { answer, type Reply } from '../protocol/reply.ts';
import type { ReportRecord } from '../state/types.ts';
import type { Call } from './call.ts';
import { reportsActive } from './plugins.ts';

/** `client_report` (protocol 4.10): what Child Reports recorded, cut to the tokens asked for. */

const DAY = 86_400;
const PARTS = ['header', 'body', 'footer'] as const;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Words of the sections and the context of the records they come from. */
const CONTEXTS: Record<string, string> = {
  plugins: 'plugin',
  themes: 'theme',
  posts: 'post',
  pages: 'page',
  comments: 'comment',
  users: 'user',
};

export function clientReport({ state, fields }: Call): Reply {
  if (!reportsActive(state)) return answer({ error: 'No MainWP Child Reports plugin installed.' });
  if (text(fields, 'mwp_action') !== 'get_stream') return answer([]);
  const from = wholeDay(text(fields, 'date_from'));
  const to = wholeDay(text(fields, 'date_to')) + DAY;
  const records = state.reports.filter((item) => item.at >= from && item.at < to);
  const sections = base64Record(text(fields, 'sections'));
  const others = base64Record(text(fields, 'other_tokens'));
  return answer({
    other_tokens_data: Object.keys(others).length === 0 ? [] : eachPart(others, (tokens) => counters(tokens, records)),
    sections_data: phpMap(
      PARTS.filter((part) => part in sections).flatMap((part): [string, unknown][] => {
        const lists = sectionLists(record(sections, part), records);
        return lists.length === 0 ? [] : [[part, lists]];
      }),
    ),
  });
}

/** The times are used as whole days. */
function wholeDay(value: string): number {
  return Math.floor(Number(value) / DAY) * DAY;
}

function eachPart(value: Fields, of: (tokens: string[]) => unknown): Record<string, unknown> {
  return Object.fromEntries(PARTS.map((part) => [part, of(texts(value[part]))]));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** `[plugin.updated.count]` */
function counters(tokens: string[], records: ReportRecord[]): unknown {
  return phpMap(
    tokens.map((token): [string, unknown] => {
      const [context = '', action = ''] = token.replace(/[[\]]/g, '').split('.');
      return [token, records.filter((item) => item.context === singular(context) && item.action === action).length];
    }),
  );
}

function singular(context: string): string {
  return CONTEXTS[context] ?? context;
}

/** One list for each section token `[section.plugins.updated]`, one object for each record. */
function sectionLists(part: Fields, records: ReportRecord[]): Record<string, string>[][] {
  const contents = Array.isArray(part['section_content_tokens']) ? (part['section_content_tokens'] as unknown[]) : [];
  return texts(part['section_token']).map((token, at) => {
    const [, context = '', action = ''] = token.replace(/[[\]]/g, '').split('.');
    const wanted = texts(contents[at]);
    return records
      .filter((item) => item.context === singular(context) && item.action === action)
      .map((item) => Object.fromEntries(wanted.map((content) => [content, tokenValue(content, item)])));
  });
}

/**
 * The last word decides; the first is the context, and old.version and current.version are one name (protocol 4.10).
 */
function tokenValue(token: string, item: ReportRecord): string {
  const words = token.replace(/[[\]]/g, '').split('.');
  const last = words[words.length - 1] ?? '';
  if (last === 'date') return longDate(item.at);
  if (last === 'time') return clockTime(item.at);
  if (last === 'utime') return new Date(item.at * 1000).toISOString().slice(0, 19).replace('T', ' ');
  if (last === 'author') return item.author;
  return item.values[words.slice(1).join('.')] ?? item.values[last] ?? 'N/A';
}

function longDate(unix: number): string {
  const date = new Date(unix * 1000);
  return `${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
}

function clockTime(unix: number): string {
  const date = new Date(unix * 1000);
  const hour = date.getUTCHours();
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  return `${hour % 12 === 0 ? 12 : hour % 12}:${minutes} ${hour < 12 ? 'am' : 'pm'}`;
}
