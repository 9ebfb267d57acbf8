import { createUnvalidatedParser, defineJobKind, noInput, type JobKind, type NoInput } from '../../queue/index.ts';
import type { CredentialOwner } from '../../shared/requester.ts';

export interface MakeReportResult {
  reportId: number;
  mailId: number | null;
}

export const parseMakeReportResult = createUnvalidatedParser<MakeReportResult>();

export type MakeReportJob = JobKind<NoInput, MakeReportResult, 'other'>;

/** Limit of concurrent reports. Each can hold a year of data of all sites of a client, and prints with a browser. */
const AT_ONCE = 4;

/** Makes one report per item. Nothing is stored until the report is complete, so an interrupted item is repeated. */
export const makeReportJob = (
  make: (reportId: number, owner: CredentialOwner | null, signal: AbortSignal) => Promise<MakeReportResult>,
): MakeReportJob =>
  defineJobKind({
    name: 'make-report',
    about: 'other',
    input: noInput,
    result: parseMakeReportResult,
    whenCancelled: 'abort',
    retryPermission: 'reports:write',
    maxRunning: () => AT_ONCE,
    checksLimits: true,
    perform: ({ subject, item, signal }) => make(Number(subject), item.owner, signal),
  });
