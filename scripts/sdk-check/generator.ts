import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Pinned: another version makes other code of the same contract. */
const VERSION = '7.25.0';
const ARTIFACT = `org.openapitools:openapi-generator-cli:${VERSION}`;
/** Beside what the package manager installs: kept between runs, and no part of the repository. */
const CACHE = resolve('node_modules/.cache/sdk-check');

/** For half a minute, compiling it well and collecting garbage in several threads cost more than they spare. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

export const hasTool = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Runs a command to its end and returns what it wrote; throws that when the command fails. */
export function outputOf(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', fail);
    child.on('close', (status) => {
      if (status === 0) done(text);
      else fail(new Error(`${command} ${args.slice(0, 4).join(' ')} failed (${status}):\n${text.slice(-6000)}`));
    });
  });
}

/** What openapi-generator calls a language, with the surface that it is made for. */
export interface Client {
  language: 'python' | 'php' | 'go' | 'typescript-fetch';
  surface: 'abilities' | 'v2';
  folder: string;
}

/** The generator, fetched by Maven when it is not there yet. */
async function generatorFile(): Promise<string> {
  const file = join(CACHE, `openapi-generator-cli-${VERSION}.jar`);
  if (existsSync(file)) return file;
  await outputOf('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${CACHE}`]);
  return file;
}

/** Makes all clients in one go, with nothing but the name of their package set. Returns the warnings. */
export async function generateClients(clients: readonly Client[], folder: string): Promise<string[]> {
  const jar = await generatorFile();
  const files = await Promise.all(
    clients.map(async ({ language, surface, folder: outputDir }) => {
      const file = join(folder, `${language}-${surface}.json`);
      const names = language === 'python' ? { additionalProperties: { packageName: `sitefleet_${surface}` } } : {};
      const inputSpec = resolve(`generated/${surface}.openapi.json`);
      await writeFile(file, JSON.stringify({ generatorName: language, inputSpec, outputDir, ...names }));
      return file;
    }),
  );
  await mkdir(folder, { recursive: true });
  const text = await outputOf('java', [...SHORT_RUN, '-jar', jar, 'batch', '--threads', '2', '--fail-fast', ...files]);
  return text
    .split('\n')
    .filter((line) => / (WARN|ERROR) /.test(line) && !line.includes('3.1 support is still in beta'));
}
