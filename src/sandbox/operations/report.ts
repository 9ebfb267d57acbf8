import { parseBase64Record, recordField, textField, type PhpFormFields } from '../protocol/form.ts';
import { phpMap } from '../protocol/frame.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { BlockedAttacks, ReportRecord } from '../state/site-state.ts';
import type { Call } from './call.ts';
import { isReportsPluginActive } from './plugins.ts';

const DAY = 86_400;
const PARTS = ['header', 'body', 'footer'] as const;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const CONTEXTS: Record<string, string> = {
  plugins: 'plugin',
  themes: 'theme',
  posts: 'post',
  pages: 'page',
  comments: 'comment',
  users: 'user',
  backups: 'backup',
};

const CONNECTORS: Record<string, string> = {
  plugin: 'installer',
  theme: 'installer',
  wordpress: 'installer',
  post: 'posts',
  page: 'posts',
  comment: 'comments',
  user: 'users',
  backup: 'mainwp_backups',
  maintenance: 'mainwp_maintenance',
  sucuri: 'mainwp_sucuri',
  wordfence: 'mainwp_wordfence',
  ithemes: 'mainwp_ithemes',
};

const BLOCKED_COUNTERS: Record<string, BlockedAttacks['kind']> = {
  '[wordfence.blocked.count]': 'wordfence-blocked',
  '[ithemes.blocked.count]': 'ithemes-blocked',
  '[ithemes.lockout.count]': 'ithemes-lockout',
};

export function clientReport({ state, fields }: Call): Reply {
  if (!isReportsPluginActive(state)) return frameReply({ error: 'No MainWP Child Reports plugin installed.' });
  if (textField(fields, 'mwp_action') !== 'get_stream') return frameReply([]);
  const from = wholeDay(textField(fields, 'date_from'));
  const to = wholeDay(textField(fields, 'date_to')) + DAY;
  const connector = textField(fields, 'connector');
  const isWithin = ({ at }: { at: number }): boolean => at >= from && at < to;
  const records = state.reports
    .filter((item) => isWithin(item) && (connector === '' || CONNECTORS[item.context] === connector))
    .sort((left, right) => right.at - left.at);
  const sections = parseBase64Record(textField(fields, 'sections'));
  const others = parseBase64Record(textField(fields, 'other_tokens'));
  return frameReply({
    other_tokens_data: phpMap(
      PARTS.filter((part) => part in others).map((part): [string, unknown] => [
        part,
        counterValues(textItemsOf(others[part]), records, state.fendedOff.filter(isWithin)),
      ]),
    ),
    sections_data: phpMap(
      PARTS.filter((part) => part in sections).flatMap((part): [string, unknown][] => {
        const lists = sectionLists(recordField(sections, part), records);
        return lists.length === 0 ? [] : [[part, lists]];
      }),
    ),
  });
}

function wholeDay(value: string): number {
  return Math.floor(Number(value) / DAY) * DAY;
}

function textItemsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/**
 * Returns the values of counter tokens, such as `[plugin.updated.count]`. Section tokens look like
 * `[section.plugins.updated]`.
 */
function counterValues(tokens: string[], records: ReportRecord[], fendedOff: BlockedAttacks[]): unknown {
  return phpMap(
    tokens.map((token): [string, unknown] => {
      const kind = BLOCKED_COUNTERS[token];
      if (kind !== undefined) {
        const fitting = fendedOff.filter((item) => item.kind === kind);
        const sum = fitting.reduce((total, { count }) => total + count, 0);
        // The database counts lockouts and returns a text. If the table of the security plugin is missing, the child
        // returns the number 0.
        return [token, kind === 'ithemes-lockout' && fitting.length > 0 ? String(sum) : sum];
      }
      const [context = '', action = ''] = token.replace(/[[\]]/g, '').split('.');
      const fitting = records.filter((item) => item.context === singularContextOf(context) && item.action === action);
      return [
        token,
        singularContextOf(context) === 'backup' ? new Set(fitting.map(({ at }) => at)).size : fitting.length,
      ];
    }),
  );
}

function singularContextOf(context: string): string {
  return CONTEXTS[context] ?? context;
}

const EMPTY_WORDS = new Set(['details', 'result', 'status', 'webtrust', 'type']);

function sectionLists(part: PhpFormFields, records: ReportRecord[]): Record<string, string>[][] {
  const contents = Array.isArray(part['section_content_tokens']) ? (part['section_content_tokens'] as unknown[]) : [];
  return textItemsOf(part['section_token']).map((token, at) => {
    const [, context = '', action = ''] = token.replace(/[[\]]/g, '').split('.');
    const wanted = textItemsOf(contents[at]);
    return records
      .filter((item) => item.context === singularContextOf(context) && item.action === action)
      .map((item) => Object.fromEntries(wanted.map((content) => [content, tokenValue(content, item)])));
  });
}

/**
 * Returns the value of a token for one record. The first word of a token is the context, and the last selects the
 * value. `old.version` and `current.version` are single names (protocol 4.10).
 */
function tokenValue(token: string, item: ReportRecord): string {
  const words = token.replace(/[[\]]/g, '').split('.');
  const last = words[words.length - 1] ?? '';
  if (last === 'date') return longDate(item.at);
  if (last === 'time') return clockTime(item.at);
  if (last === 'utime') return new Date(item.at * 1000).toISOString().slice(0, 19).replace('T', ' ');
  if (last === 'author') return item.author;
  return item.values[words.slice(1).join('.')] ?? item.values[last] ?? (EMPTY_WORDS.has(last) ? '' : 'N/A');
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
