import { ChildBadAnswerError } from '../../shared/errors.ts';
import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import {
  COUNTER_TOKENS,
  decodeCounters,
  decodeRecords,
  decodeShop,
  nothingReported,
  SECTION_TOKENS,
} from '../answers/report-data.ts';
import { asObject, field } from '../answers/values.ts';
import type { ChildLink, ReportCalls, ReportCounter, ReportDays, ReportSection } from '../child-site.ts';
import { notUnderstood, type ChildError } from '../classify.ts';
import { base64Json, type Fields } from '../payload.ts';
import { sendAction, type SignedCaller } from '../signed-call.ts';

/** The site has no plugin that could answer. */
const ABSENT = Symbol('absent');

const NO_PLUGIN = 'No MainWP Child Reports plugin installed.';
const NO_SHOP = 'NO_WOOCOMMERCE';
const DIED = /^MainWP_Child fatal error/;

/** What the reports plugin and a shop of the site say of a time (protocol 4.10 and 4.11). */
export function createReportCalls(caller: SignedCaller): ReportCalls {
  const send = sendAction(caller);

  const stream = async (link: ChildLink, fields: Fields): Promise<unknown> => {
    const call = { functionName: 'client_report', fields: { mwp_action: 'get_stream', ...fields }, reads: true };
    const answer = await send(link, { ...call, expected: isSaying(NO_PLUGIN) }).catch(absentWhereTranslated);
    return complaintIn(answer) === NO_PLUGIN ? ABSENT : answer;
  };

  return {
    async reportData(link, { days, sections, counters }) {
      const data = nothingReported();
      for (const section of sections) {
        const answer = await stream(link, recordFields(section, days));
        if (answer === ABSENT) return null;
        const records = decodeRecords(answer, section, days);
        if (!records) throw notUnderstood(false);
        Object.assign(data, records);
      }
      if (counters.length > 0) {
        const answer = await stream(link, counterFields(counters, days));
        if (answer === ABSENT) return null;
        const counted = decodeCounters(answer, counters);
        if (!counted) throw notUnderstood(false);
        data.counters = counted;
      }
      return data;
    },

    async shopData(link, days) {
      const { from, until } = wholeDays(days);
      const fields = { mwp_action: 'report_data', start_date: from, end_date: until };
      const expected = isSaying(NO_SHOP);
      const answer = await send(link, { functionName: 'woo_com_status', fields, reads: true, expected });
      if (complaintIn(answer) === NO_SHOP) return null;
      const shop = decodeShop(answer);
      if (!shop) throw notUnderstood(false);
      return shop;
    },
  };
}

const isSaying =
  (words: string) =>
  ({ sentence }: Pick<ChildError, 'sentence'>): boolean =>
    sentence === words;

const complaintIn = (answer: unknown): unknown => field(asObject(answer), 'error');

/** The child has one complaint of its own, in the language of the site, and none has a code. */
function absentWhereTranslated(error: unknown): typeof ABSENT {
  if (!(error instanceof ChildBadAnswerError)) throw error;
  const { child_message: sentence, child_code: code } = error.data;
  if (typeof sentence !== 'string' || code !== undefined || DIED.test(sentence)) throw error;
  return ABSENT;
}

/** The zones that a site may be in. */
const EAST = 14 * HOUR;
const WEST = 12 * HOUR;

/**
 * The child takes whole days of its own zone: those that hold the time asked for in every zone. It reads all records of
 * these days, with everything that anybody did on the site, unless their writer is named; of 30,000 PHP runs out of
 * memory. There is one writer in a call.
 */
function recordFields(section: ReportSection, { from, until }: ReportDays): Fields {
  const tokens = SECTION_TOKENS[section];
  return {
    connector: tokens.connector,
    date_from: (Math.floor((from - WEST) / DAY) * DAY) / SECOND,
    date_to: (Math.floor((until + EAST - 1) / DAY) * DAY) / SECOND,
    sections: base64Json({
      body: {
        section_token: [`[section.${tokens.section}]`],
        section_content_tokens: [['utime', ...tokens.fields].map((name) => `[${tokens.prefix}.${name}]`)],
      },
    }),
  };
}

/** Counters are of days in UTC, so that they are asked for apart. They need no records, and few are to be read. */
function counterFields(counters: readonly ReportCounter[], days: ReportDays): Fields {
  const { from, until } = wholeDays(days);
  return {
    date_from: from,
    date_to: until,
    connector: SECTION_TOKENS.wordfence.connector,
    other_tokens: base64Json({ body: counters.map((name) => COUNTER_TOKENS[name]) }),
  };
}

/** Seconds since 1970 of days in UTC, the last one counted. */
const wholeDays = ({
  startDate,
  endDate,
}: Pick<ReportDays, 'startDate' | 'endDate'>): { from: number; until: number } => ({
  from: Date.parse(startDate) / SECOND,
  until: (Date.parse(endDate) + DAY) / SECOND - 1,
});
