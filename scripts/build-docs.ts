/** Renders the reference of both surfaces into generated/docs/, one page each that fetches nothing. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SURFACES } from './contract/surfaces.ts';

const FOLDER = 'generated/docs';
const quiet = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** The page would fetch its maker's logo and a font; neither is needed, and a reader may have no network. */
const fetchesNothing = (html: string): string =>
  html
    .replace(/<link[^>]+fonts\.googleapis\.com[^>]*>/g, '')
    .replaceAll(/https:\/\/cdn\.redoc(?:\.ly|ly\.com)\/[^"'`\s)]*\.(?:svg|png)/g, 'data:,');

/** Makes the pages that are older than what they are made from, and by. */
export async function renderDocs(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await Promise.all(
    SURFACES.map(async (surface) => {
      const file = `${FOLDER}/${surface}.html`;
      const bundle = `generated/${surface}.openapi.json`;
      if (await isCurrent(file, [bundle, 'package-lock.json', import.meta.filename])) return;
      const args = ['node_modules/@redocly/cli/bin/cli.js', 'build-docs', bundle, '--inlineBundle', '-o', file];
      await promisify(execFile)(process.execPath, args, { env: quiet, maxBuffer: 64 << 20 });
      await writeFile(file, fetchesNothing(await readFile(file, 'utf8')));
    }),
  );
}

async function isCurrent(file: string, sources: string[]): Promise<boolean> {
  const timeOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
  const made = await timeOf(file);
  return (await Promise.all(sources.map(timeOf))).every((time) => time < made);
}

if (import.meta.filename === process.argv[1]) await renderDocs();
