export { CheckNotPossible, NothingToCheck } from './check-not-possible.ts';
export { addErrorLists } from './comparison/error-lists.ts';
export { isBreakingKind, levelOf, KINDS, type Change, type Kind, type Level } from './comparison/kinds.ts';
export { changesOf } from './comparison/operations.ts';
export type { ComparableContract } from './comparison/pair.ts';
export {
  exampleCall,
  exampleRequest,
  isInExample,
  namesIn,
  queryValueOf,
  type ExampleCall,
  type ExampleRequest,
} from './example-request.ts';
export type { Finding, Rule } from './findings.ts';
export { formatJunit, formatReport, type VerificationReport } from './report.ts';
export { ResponseChecker } from './response-checker.ts';
export { verify, type VerifyOptions } from './verify.ts';
