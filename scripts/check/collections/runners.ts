import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface RunnerResult {
  requests: number;
  /** Names of requests that were not sent or were answered with 400 or more. */
  failures: string[];
}

const READS = ['Abilities (read)', 'REST v2 (read)'];

const run = promisify(execFile);
/** A runner exits with an error if a request fails. Its report says which. */
const runAnyway = (file: string, args: readonly string[], cwd: string): Promise<unknown> =>
  run(file, args, { cwd, maxBuffer: 1e9 }).catch((error: unknown) => error);

type Values = Readonly<Record<string, string>>;

export async function runNewman(folder: string, values: Values): Promise<RunnerResult> {
  const report = join(folder, 'newman.json');
  const output = await runAnyway(
    join(folder, 'node_modules/.bin/newman'),
    [
      ...['run', join(folder, 'collections/sitefleet.postman_collection.json')],
      ...READS.flatMap((name) => ['--folder', name]),
      ...variablesOf('--env-var', values),
      ...['--reporters', 'json', '--reporter-json-export', report],
    ],
    folder,
  );
  const { run: ran } = (await readReport(report, output)) as {
    run: { executions: { item: { name: string }; response?: { code: number } }[] };
  };
  return resultOf(ran.executions.map(({ item, response }) => ({ name: item.name, status: response?.code })));
}

export async function runBruno(folder: string, values: Values): Promise<RunnerResult> {
  const report = join(folder, 'bruno.json');
  const output = await runAnyway(
    join(folder, 'node_modules/.bin/bru'),
    ['run', ...READS, '-r', '--env', 'Local', ...variablesOf('--env-var', values), '--reporter-json', report],
    join(folder, 'collections/bruno'),
  );
  const runs = (await readReport(report, output)) as {
    results: { test: { filename: string }; response: { status: number | string } }[];
  }[];
  const results = runs.flatMap((each) => each.results);
  return resultOf(results.map(({ test, response }) => ({ name: test.filename, status: Number(response.status) })));
}

const variablesOf = (option: string, values: Values): string[] =>
  Object.entries(values).flatMap(([name, value]) => [option, `${name}=${value}`]);

/** Throws with the output of the runner if it wrote no report. */
async function readReport(file: string, output: unknown): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`The runner wrote no report: ${JSON.stringify(output)}`);
  });
  return JSON.parse(text) as unknown;
}

const resultOf = (answers: readonly { name: string; status: number | undefined }[]): RunnerResult => ({
  requests: answers.length,
  failures: answers
    .filter(({ status }) => !(status !== undefined && status >= 200 && status < 400))
    .map(({ name, status }) => `${name}: ${status ?? 'no response'}`),
});
