import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { QUIET_ENV } from '../../contract/bundle.ts';

/** A failed step with the messages of the runner. */
export interface FailedStep {
  step: string;
  reasons: string[];
}
export interface WorkflowResult {
  /** Name of the workflow. */
  name: string;
  steps: number;
  failed: FailedStep[];
}

interface Log {
  files: Record<
    string,
    { executedWorkflows?: { executedSteps: { stepId: string; checks: { status: string; message?: string }[] }[] }[] }
  >;
}

const nameOf = (file: string): string => basename(file, '.arazzo.yaml');

/**
 * Runs workflows one after another in one process of the runner, because its start takes a second. The inputs are
 * passed in the environment, because they contain credentials.
 */
export async function runRespect(
  files: string[],
  inputs: Record<string, unknown>,
  folder: string,
): Promise<WorkflowResult[]> {
  const log = join(folder, 'log.json');
  const args = ['node_modules/@redocly/cli/bin/cli.js', 'respect', ...files, '--json-output', log];
  const env = { ...QUIET_ENV, REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs) };
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, args, { env, maxBuffer: 64 << 20 }, (_error, out, err) => resolve(out + err)),
  );
  const text = await readFile(log, 'utf8').catch(() => {
    throw new Error(`The workflows did not run:\n${said}`);
  });
  const { files: logs } = JSON.parse(text) as Log;
  return files.map((file) => {
    const steps = (logs[file]?.executedWorkflows ?? []).flatMap(({ executedSteps }) => executedSteps);
    if (steps.length === 0) throw new Error(`${file} did not run:\n${said}`);
    const failed = steps.flatMap(({ stepId, checks }) => {
      const reasons = checks.filter(({ status }) => status === 'error').map(({ message = 'It failed.' }) => message);
      return reasons.length > 0 ? [{ step: stepId, reasons }] : [];
    });
    return { name: nameOf(file), steps: steps.length, failed };
  });
}
