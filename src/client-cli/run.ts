import { CommanderError } from 'commander';
import { isRefusal } from '../sdk/index.ts';
import { EXIT_CODES, exitCodeOf, UsageError } from './exit-codes.ts';
import { createProgram } from './program.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { formatJson, formatValue } from './table.ts';

/** Runs a command and returns the exit code. Results are written to `out`, errors and the progress bar to `err`. */
export async function run(argv: readonly string[], environment: CliEnvironment, version: string): Promise<number> {
  const { err, signal } = environment;
  let exitCode: number = EXIT_CODES.done;
  try {
    await createProgram(environment, version, (code) => (exitCode = code)).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed the error. Its exit code is 0 for help and version.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    if (signal.aborted) return EXIT_CODES.interrupted;
    const json = (): string => (err.isTerminal ? formatJson : JSON.stringify)(failureReportOf(error));
    err.write(argv.includes('--json') ? `${json()}\n` : formatFailure(error));
    return exitCodeOf(error);
  }
}

interface FailureReport {
  code: string;
  message: string;
  /** Details of an error response, such as `errors` and `status`. */
  data?: object;
  request_id?: string | null;
}

function failureReportOf(error: unknown): FailureReport {
  const message = errorMessageWithCauses(error);
  if (isRefusal(error)) return { code: error.code, message, data: error.data, request_id: error.requestId };
  const exitCode = exitCodeOf(error);
  const code = exitCode === EXIT_CODES.usage ? 'usage' : exitCode === EXIT_CODES.unreachable ? 'unreachable' : 'failed';
  return { code, message };
}

/** Returns the message with up to three causes, for example a refused connection or an unknown host name. */
function errorMessageWithCauses(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error && causes.length < 3; cause = cause.cause)
    if (cause.message && cause.message !== 'fetch failed') causes.push(cause.message);
  return [error.message.replace(causes.length > 0 ? /\.$/ : '', ''), ...causes].join(': ');
}

function formatFailure(error: unknown): string {
  const { code, message, data = {} } = failureReportOf(error);
  const { errors = [] } = data as { errors?: { path: string; message: string }[] };
  const details = errors.map((each) => `${each.path} ${each.message}`);
  // The message of a validation error has the details of its first errors.
  const further = details.filter((detail) => !message.includes(detail));
  const kind = isRefusal(error) ? ` (${code})` : '';
  const hint = error instanceof UsageError ? 'Pass --help to see the usage.\n' : '';
  return `${formatValue(message)}${kind}\n${further.map((line) => `  ${formatValue(line)}\n`).join('')}${hint}`;
}
