import type * as CsvParse from 'csv-parse/sync';
import { loadLate } from '../../shared/load-late.ts';
import { TooLargeError } from '../../shared/errors.ts';
import { splitList } from '../../shared/text.ts';
import { findUserFaults, type NewUser } from './child-user.ts';

const csv = loadLate<typeof CsvParse>('csv-parse/sync');

/** A row of a user file. Either `request` or `fault` is null. */
export interface UserFileRow {
  /** Last line of the row, counted from 1. A row with quotes can span several lines. */
  line: number;
  username: string;
  email: string;
  request: { user: NewUser; sites: string[]; tags: string[] } | null;
  fault: string | null;
}

const MAX_ROWS = 1_000;
const MAX_ROW_LENGTH = 50_000;
const COLUMNS = 10;
/**
 * Maximum number of commas in a file: ten times as many as the longest valid file needs. The parser limits the text in
 * cells, but not the number of empty cells.
 */
const MAX_COMMAS = 10 * MAX_ROWS * COLUMNS;
const YES = /^(1|true|yes)$/i;
const NO = /^(0|false|no|)$/i;

/**
 * Reads a user file with the columns username, e-mail, first name, last name, URL, password, whether to mail it, role,
 * sites and tags. An invalid row is returned with its fault and does not affect the other rows.
 */
export function parseUserFile(text: string, hasHeader: boolean): UserFileRow[] {
  if (text.split(',', MAX_COMMAS + 2).length > MAX_COMMAS + 1)
    throw new TooLargeError('svc_request_too_large', `A file can have at most ${MAX_COMMAS} commas.`);
  const broken: UserFileRow[] = [];
  // The parser would count a two-character line end within quotes as two lines.
  const records = csv().parse(text.replace(/\r\n?/g, '\n'), {
    bom: true,
    info: true,
    record_delimiter: '\n',
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_ROW_LENGTH,
    to: MAX_ROWS + 2,
    on_skip: (error) => {
      broken.push(
        faultyRow(Number(error?.['lines'] ?? 0), '', '', 'The row cannot be read. A closing quote may be missing.'),
      );
      return undefined;
    },
  }) as unknown as { info: { lines: number }; record: string[] }[];
  const rows = [
    ...records.slice(hasHeader ? 1 : 0).map(({ info, record }) => parseUserRow(info.lines, record)),
    ...broken,
  ];
  if (rows.length > MAX_ROWS)
    throw new TooLargeError('svc_request_too_large', `A file can have at most ${MAX_ROWS} rows.`);
  return rows.sort((left, right) => left.line - right.line);
}

function parseUserRow(line: number, cells: readonly string[]): UserFileRow {
  const [username = '', email = '', firstName = '', lastName = '', url = ''] = cells.map((cell) => cell.trim());
  // The password is not trimmed. A blank around it is reported as a fault instead of being removed silently.
  const password = cells[5] ?? '';
  const [mail = '', role = '', sites = '', tags = ''] = cells.slice(6).map((cell) => cell.trim());
  const user: NewUser = {
    username,
    email,
    firstName,
    lastName,
    url: url || undefined,
    password: password || undefined,
    sendPassword: YES.test(mail),
    role: role || undefined,
  };
  const asked = { user, sites: splitList(sites, ';'), tags: splitList(tags, ';') };
  const faults = [
    ...(cells.length === COLUMNS ? [] : [`has ${cells.length} columns instead of ${COLUMNS}`]),
    ...findUserFaults(user).map(({ path, message }) => `${path} ${message}`),
    ...[firstName, lastName].flatMap((name) => (name.length > 250 ? ['a name must have at most 250 characters'] : [])),
    ...(YES.test(mail) || NO.test(mail) ? [] : ['send_password must be 1 or 0']),
    ...(asked.sites.length + asked.tags.length > 0 ? [] : ['sites or tags must name the sites for the user']),
  ];
  if (cells.length !== COLUMNS) return faultyRow(line, username, email, `The row ${faults[0] ?? ''}.`);
  if (faults.length > 0) return faultyRow(line, username, email, `${faults.join('; ')}.`);
  return { line, username, email, request: asked, fault: null };
}

const faultyRow = (line: number, username: string, email: string, fault: string): UserFileRow => ({
  line,
  username: username.slice(0, 100),
  email: email.slice(0, 100),
  request: null,
  fault,
});
