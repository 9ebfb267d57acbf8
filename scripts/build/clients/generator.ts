import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Document } from '../../contract/document.ts';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';
import { namesOf, type Language } from './languages.ts';
import { hasTool, outputOf } from './run.ts';

/** Pinned, because another version generates other code from the same contract. */
export const GENERATOR_VERSION = '7.25.0';
const ARTIFACT = `org.openapitools:openapi-generator-cli:${GENERATOR_VERSION}`;
/** Files that are kept between runs, outside the repository. */
export const CACHE = resolve(process.env['SDK_CACHE'] ?? 'node_modules/.cache/sdk');
const FILE = join(CACHE, `openapi-generator-cli-${GENERATOR_VERSION}.jar`);

/** In a run of 30 seconds, optimized code and parallel garbage collection cost more than they save. */
const FAST_START_OPTIONS = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** Files of a source repository, which the client is not. */
const UNWANTED_FILES = ['.github', '.travis.yml', '.gitlab-ci.yml', 'git_push.sh', '.openapi-generator-ignore'];

export interface GeneratedClient {
  language: Language;
  surface: Surface;
  folder: string;
}

/** One client in the format of openapi-generator's configuration file, with its document. */
export interface GeneratorSettings {
  generatorName: string;
  surface: Surface;
  outputDir: string;
  /** True if the document must leave objects open, because the client rejects new fields of closed ones. */
  openObjects?: boolean;
  [setting: string]: unknown;
}

/** A generator file that the user has downloaded. */
const configuredJar = (): string | undefined => process.env['OPENAPI_GENERATOR_JAR'];

/** Returns a sentence about a missing tool, or null. */
export function missingForClients(): string | null {
  const file = configuredJar();
  if (!hasTool('java', '-version'))
    return 'Java is missing: openapi-generator runs on Java 11 or newer. Install it, so that `java -version` answers.';
  if (file !== undefined)
    return existsSync(file) ? null : `OPENAPI_GENERATOR_JAR names ${file}, and there is no such file.`;
  if (!existsSync(FILE) && !hasTool('mvn', '-v'))
    return (
      `Maven is missing, which fetches openapi-generator ${GENERATOR_VERSION}. Install it, so that \`mvn -v\` answers, or set ` +
      'OPENAPI_GENERATOR_JAR to a file of openapi-generator-cli.'
    );
  return null;
}

/** Returns the generator. Maven downloads it on first use. */
async function generatorFile(): Promise<string> {
  const file = configuredJar() ?? FILE;
  if (!existsSync(file))
    await outputOf('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${CACHE}`]);
  return file;
}

/** Copies the documents with a short introduction, because each file of a client repeats it. */
async function documentsIn(scratch: string, source: string): Promise<Record<Surface, string>> {
  const files = SURFACES.map(async (surface) => {
    const document = JSON.parse(await readFile(join(source, `${surface}.openapi.json`), 'utf8')) as Document;
    const { description = '' } = document.info;
    document.info.description = (description.split('\n\n')[0] ?? '').replaceAll('\n', ' ');
    const file = join(scratch, `${surface}.json`);
    await writeFile(file, JSON.stringify(document));
    return [surface, file] as const;
  });
  return Object.fromEntries(await Promise.all(files)) as Record<Surface, string>;
}

/**
 * Copies a document without `additionalProperties: false`, and without the length of files, which a Go client measures
 * as that of a text and then does not compile. Returns the file.
 */
async function openDocument(file: string): Promise<string> {
  const document: unknown = JSON.parse(await readFile(file, 'utf8'), function (this: object, key, value: unknown) {
    const isClosing = key === 'additionalProperties' && value === false;
    const isFileLength = key === 'maxLength' && 'format' in this && this.format === 'binary';
    return isClosing || isFileLength ? undefined : value;
  });
  const copy = file.replace(/\.json$/, '.open.json');
  await writeFile(copy, JSON.stringify(document));
  return copy;
}

/** Generates all clients in one run. `scratch` is a folder for temporary files. Returns the warnings. */
export async function generateClients(
  clients: readonly GeneratedClient[],
  scratch: string,
  source = 'generated',
): Promise<string[]> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const settings = clients.map(({ language, surface, folder }) => ({
    generatorName: language,
    surface,
    outputDir: folder,
    ...namesOf(language, surface, version),
  }));
  return runGenerator(settings, scratch, source);
}

/**
 * Runs openapi-generator once for several clients of the documents in `source`. `scratch` is a folder for temporary
 * files. Returns the warnings.
 */
export async function runGenerator(
  clients: readonly GeneratorSettings[],
  scratch: string,
  source: string,
): Promise<string[]> {
  const jar = await generatorFile();
  await mkdir(scratch, { recursive: true });
  const documents = await documentsIn(scratch, source);
  const files = await Promise.all(
    clients.map(async ({ surface, openObjects = false, ...settings }) => {
      const file = join(scratch, `${settings.generatorName}-${surface}.json`);
      const inputSpec = openObjects ? await openDocument(documents[surface]) : documents[surface];
      await writeFile(file, JSON.stringify({ inputSpec, ...settings }));
      return file;
    }),
  );
  const text = await outputOf('java', [
    ...FAST_START_OPTIONS,
    '-jar',
    jar,
    'batch',
    '--threads',
    '2',
    '--fail-fast',
    ...files,
  ]);
  await Promise.all(
    clients.flatMap(({ outputDir }) =>
      UNWANTED_FILES.map((name) => rm(join(outputDir, name), { recursive: true, force: true })),
    ),
  );
  return text
    .split('\n')
    .filter((line) => / (WARN|ERROR) /.test(line) && !line.includes('3.1 support is still in beta'));
}
