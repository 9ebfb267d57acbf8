/**
 * Errors that services of this process have logged during the current test. They are global because a run of all tests
 * loads this module twice: Mocha requires the root hooks, and the runner imports the test files.
 */
const errors: string[] = ((globalThis as { loggedErrors?: string[] }).loggedErrors ??= []);

const IS_ERROR = /"level":"(?:error|fatal)"/;
const STACK_LINES = 8;
/** A service that cannot work logs the same error many times. */
const SHOWN = 3;

interface LogLine {
  msg?: string;
  operation?: string;
  err?: { type?: string; message?: string; stack?: string };
}

/** Stores a line of a service's log if it is an error. */
export function noteLogLine(line: string): void {
  if (!IS_ERROR.test(line)) return;
  const { msg = '', operation, err = {} } = parseLine(line);
  const where = operation === undefined ? '' : ` (${operation})`;
  errors.push(`${msg}${where}\n${textOf(err).split('\n').slice(0, STACK_LINES).join('\n')}`.trimEnd());
}

const textOf = ({ type = '', message = '', stack }: NonNullable<LogLine['err']>): string =>
  stack ?? (type === '' ? message : `${type}: ${message}`);

/** The output of a process can arrive in the middle of a line. */
function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { msg: line.slice(0, 500) };
  }
}

/** Returns the last errors as text for the message of a failure; empty if there are none. */
export const loggedErrors = (): string =>
  errors.length === 0 ? '' : `\nThe service logged:\n${errors.slice(-SHOWN).join('\n')}`;

export function forgetErrors(): void {
  errors.length = 0;
}

/** Adds the logged errors to the message of a failure, which often shows only that a status was 500. */
export function explainFailure(failure: Error): void {
  const logged = loggedErrors();
  const { message, stack } = failure;
  if (message.includes(logged)) return;
  failure.message = message + logged;
  if (stack !== undefined) failure.stack = stack.replace(message, () => failure.message);
}
