import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import { DAY, HOUR, SECOND } from '../../shared/clock.ts';
import {
  COUNTER_TOKENS,
  decodeReportCounters,
  decodeReportRecords,
  decodeShop,
  emptyReportData,
  SECTION_TOKENS,
} from '../answers/report-data.ts';
import { asObject, readField } from '../answers/json-values.ts';
import type { ChildLink, ReportCalls, ReportCounter, ReportPeriod, ReportSection } from '../child-site.ts';
import { unexpectedAnswerError, type ChildError } from '../child-errors.ts';
import { encodeBase64Json, type FormFields } from '../form-encoding.ts';
import { createActionSender, type SignedCaller } from '../signed-call.ts';

const PLUGIN_ABSENT = Symbol('absent');

const NO_PLUGIN = 'No MainWP Child Reports plugin installed.';
const NO_SHOP = 'NO_WOOCOMMERCE';
const DIED = /^MainWP_Child fatal error/;

export function createReportCalls(caller: SignedCaller): ReportCalls {
  const send = createActionSender(caller);

  const stream = async (link: ChildLink, fields: FormFields): Promise<unknown> => {
    const call = { functionName: 'client_report', fields: { mwp_action: 'get_stream', ...fields }, reads: true };
    const answer = await send(link, { ...call, isExpected: hasSentence(NO_PLUGIN) }).catch(pluginAbsentOrRethrow);
    return complaintIn(answer) === NO_PLUGIN ? PLUGIN_ABSENT : answer;
  };

  return {
    async reportData(link, { days, sections, counters }) {
      const data = emptyReportData();
      for (const section of sections) {
        const answer = await stream(link, reportRecordFields(section, days));
        if (answer === PLUGIN_ABSENT) return null;
        const records = decodeReportRecords(answer, section, days);
        if (!records) throw unexpectedAnswerError(false);
        Object.assign(data, records);
      }
      if (counters.length > 0) {
        const answer = await stream(link, counterFields(counters, days));
        if (answer === PLUGIN_ABSENT) return null;
        const counted = decodeReportCounters(answer, counters);
        if (!counted) throw unexpectedAnswerError(false);
        data.counters = counted;
      }
      return data;
    },

    async shopData(link, days) {
      const { from, until } = wholeDays(days);
      const fields = { mwp_action: 'report_data', start_date: from, end_date: until };
      const expected = hasSentence(NO_SHOP);
      const answer = await send(link, { functionName: 'woo_com_status', fields, reads: true, isExpected: expected });
      if (complaintIn(answer) === NO_SHOP) return null;
      const shop = decodeShop(answer);
      if (!shop) throw unexpectedAnswerError(false);
      return shop;
    },
  };
}

const hasSentence =
  (words: string) =>
  ({ sentence }: Pick<ChildError, 'sentence'>): boolean =>
    sentence === words;

const complaintIn = (answer: unknown): unknown => readField(asObject(answer), 'error');

/**
 * Returns `PLUGIN_ABSENT` if the error says that the reports plugin is absent. Otherwise throws the error. Except for a
 * fatal error, this is the only error without a code that `client_report` returns. Its message is translated, so the
 * text cannot be compared.
 */
function pluginAbsentOrRethrow(error: unknown): typeof PLUGIN_ABSENT {
  if (!(error instanceof ChildBadAnswerError)) throw error;
  const { child_message: sentence, child_code: code } = error.data;
  if (typeof sentence !== 'string' || code !== undefined || DIED.test(sentence)) throw error;
  return PLUGIN_ABSENT;
}

const MAX_EAST_OFFSET = 14 * HOUR;
const MAX_WEST_OFFSET = 12 * HOUR;

/**
 * Returns the fields that request the records of a section. The child reads whole days of its own zone, so the fields
 * cover the period in every zone. Unless `connector` names the writer of the records, the child reads all records of
 * these days, including every user action. With 30,000 records PHP runs out of memory. A call can name only one writer.
 */
function reportRecordFields(section: ReportSection, { from, until }: ReportPeriod): FormFields {
  const tokens = SECTION_TOKENS[section];
  return {
    connector: tokens.connector,
    date_from: (Math.floor((from - MAX_WEST_OFFSET) / DAY) * DAY) / SECOND,
    date_to: (Math.floor((until + MAX_EAST_OFFSET - 1) / DAY) * DAY) / SECOND,
    sections: encodeBase64Json({
      body: {
        section_token: [`[section.${tokens.section}]`],
        section_content_tokens: [['utime', ...tokens.fields].map((name) => `[${tokens.prefix}.${name}]`)],
      },
    }),
  };
}

/**
 * Returns the fields that request counters. Counters cover whole days in UTC, so they are requested separately. They
 * need no records. But unless `connector` names one writer of records, the child reads all records of these days.
 */
function counterFields(counters: readonly ReportCounter[], days: ReportPeriod): FormFields {
  const { from, until } = wholeDays(days);
  return {
    date_from: from,
    date_to: until,
    connector: SECTION_TOKENS.wordfence.connector,
    other_tokens: encodeBase64Json({ body: counters.map((name) => COUNTER_TOKENS[name]) }),
  };
}

const wholeDays = ({
  startDate,
  endDate,
}: Pick<ReportPeriod, 'startDate' | 'endDate'>): { from: number; until: number } => ({
  from: Date.parse(startDate) / SECOND,
  until: (Date.parse(endDate) + DAY) / SECOND - 1,
});
