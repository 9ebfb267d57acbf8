import { FieldErrors } from '../../shared/field-errors.ts';
import { normalizeMailAddress } from '../../shared/mail-address.ts';
import { isLonger, trimmedName } from '../../shared/text.ts';
import { unknownSubjectTokens } from '../mail/index.ts';
import { SEGMENT_NAMES } from '../pro-reports/index.ts';
import { FILE_FORMATS, FREQUENCIES, type ReportSchedulePatch, type ScheduleFields } from './report-schedule.ts';

const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/;
const LAST_DAY = { weekly: 7, monthly: 28 };
const MOST_RECIPIENTS = 20;
const LONGEST_SUBJECT = 200;

export function checkedRecipients(errors: FieldErrors, recipients: readonly string[]): string[] {
  const addresses = recipients.map(normalizeMailAddress);
  for (const [index, address] of addresses.entries())
    errors.require(`recipients.${index}`, address !== null, 'must be an e-mail address');
  errors.require('recipients', recipients.length <= MOST_RECIPIENTS, `must have at most ${MOST_RECIPIENTS} addresses`);
  return [...new Set(addresses.filter((address) => address !== null))];
}

export function checkedSchedule(fields: ScheduleFields, errors = new FieldErrors()): ScheduleFields {
  const { frequency, day, time, segments, format } = fields;
  const name = trimmedName(errors, 'name', fields.name);
  const recipients = checkedRecipients(errors, fields.recipients);
  const subject = fields.subject?.trim() || null;
  const isFrequency = FREQUENCIES.includes(frequency);
  const lastDay = isFrequency ? LAST_DAY[frequency] : LAST_DAY.monthly;
  errors
    .require('frequency', isFrequency, `must be one of ${FREQUENCIES.join(', ')}`)
    .require('day', Number.isInteger(day) && day >= 1 && day <= lastDay, `must be a day from 1 to ${lastDay}`)
    .require('time', TIME.test(time), 'must be a time such as 8:00')
    .require(
      'segments',
      segments === null || (segments.length > 0 && segments.every((each) => SEGMENT_NAMES.includes(each))),
      'must be a list of segment names or null',
    )
    .require('format', FILE_FORMATS.includes(format), `must be one of ${FILE_FORMATS.join(', ')}`)
    .require('subject', !isLonger(subject ?? '', LONGEST_SUBJECT), `must have at most ${LONGEST_SUBJECT} characters`)
    .require(
      'subject',
      unknownSubjectTokens('report', subject ?? '').length === 0,
      'must contain only the tokens of reports',
    )
    .throwIfAny();
  return {
    ...fields,
    name,
    recipients,
    subject,
    time: time.padStart(5, '0'),
    segments: segments && SEGMENT_NAMES.filter((each) => segments.includes(each)),
  };
}

export const FIELD_NAMES = [
  'name',
  'frequency',
  'day',
  'time',
  'segments',
  'recipients',
  'subject',
  'format',
  'active',
  'holdFirstReport',
] as const satisfies (keyof ReportSchedulePatch)[];
