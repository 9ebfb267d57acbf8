import { CommanderError } from 'commander';
import { isRefusal } from '../sdk/index.ts';
import { EXIT_CODES, exitCodeOf, InterruptedError, UsageError } from './exit-codes.ts';
import { createProgram } from './program.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { formatJson, formatValue } from './table.ts';

export async function run(argv: readonly string[], environment: CliEnvironment, version: string): Promise<number> {
  const { err, signal } = environment;
  const isJson = argv.includes('--json');
  const formatReport = (report: FailureReport): string => `${(err.isTerminal ? formatJson : JSON.stringify)(report)}\n`;
  let exitCode: number = EXIT_CODES.done;
  try {
    const program = createProgram(environment, version, { ended: (code) => (exitCode = code), isJson });
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // The exit code is 0 for help and version. Without --json, Commander has already printed the error.
      if (error.exitCode === 0) return EXIT_CODES.done;
      if (isJson) err.write(formatReport({ code: 'usage', message: usageMessage(error) }));
      return EXIT_CODES.usage;
    }
    if (signal.aborted || error instanceof InterruptedError) return EXIT_CODES.interrupted;
    err.write(isJson ? formatReport(failureReportOf(error)) : formatFailure(error));
    return exitCodeOf(error);
  }
}

const usageMessage = ({ code, message }: CommanderError): string =>
  code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, '');

interface FailureReport {
  code: string;
  message: string;
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
  // The message of a validation error already contains its first details, which are not printed again.
  const further = details.filter((detail) => !message.includes(detail));
  const kind = isRefusal(error) ? ` (${code})` : '';
  const hint = error instanceof UsageError ? 'Pass --help to see the usage.\n' : '';
  return `${formatValue(message)}${kind}\n${further.map((line) => `  ${formatValue(line)}\n`).join('')}${hint}`;
}
