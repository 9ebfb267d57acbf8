import { asWritten, jobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';

/** What came of a report that was to be made. */
export interface MadeResult {
  reportId: number;
  /** Null where nobody wants mails of reports. */
  mailId: number | null;
}

export const madeResult = asWritten<MadeResult>();

export type MakeReport = JobKind<NoInput, MadeResult, 'other'>;

/** Each holds what a year of a client's sites comes to, and asks the browser to print. */
const AT_ONCE = 4;

/** Each item is a report. Until it is kept nothing has happened, so that an interrupted one is simply made again. */
export const makeReportJob = (make: (reportId: number, signal: AbortSignal) => Promise<MadeResult>): MakeReport =>
  jobKind({
    name: 'make-report',
    about: 'other',
    input: noInput,
    result: madeResult,
    whenCancelled: 'abort',
    atOnce: () => AT_ONCE,
    perform: ({ subject, signal }) => make(Number(subject), signal),
  });
