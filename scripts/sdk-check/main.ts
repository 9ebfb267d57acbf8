/**
 * `npm run sdk-check`: makes the clients of both surfaces that `npm run sdk` makes, and those in TypeScript, and proves
 * that they work: those in PHP, Go and TypeScript compile, those in Python read every documented example and call a
 * service with a simulated fleet. Needs Java, Maven and Python; what it lacks it says, and leaves out.
 *
 *   npm run sdk-check             all languages
 *   npm run sdk-check -- python   some
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SURFACES } from '../contract/surfaces.ts';
import { startSimulatedService } from '../simulated-service.ts';
import { compile, type CompiledLanguage } from './compilers.ts';
import { generateClients, missingForClients, type Client } from '../sdk/generator.ts';
import type { Language } from '../sdk/languages.ts';
import { hasTool, outputOf } from '../sdk/run.ts';
import { pythonWith } from './python.ts';

const COMPILED: readonly [language: CompiledLanguage, tool: string, ...args: string[]][] = [
  ['php', 'php', '-v'],
  ['go', 'go', 'version'],
  ['typescript-fetch', process.execPath, '-v'],
];

const LANGUAGES: readonly Language[] = ['python', ...COMPILED.map(([language]) => language)];

const started = Date.now();
const seconds = (): string => `${((Date.now() - started) / 1000).toFixed(0)} s`;
const say = (text: string): void => console.log(`${seconds().padStart(6)}  ${text}`);
const skip = (what: string, missing: string): void =>
  console.log(`\n!!! ${missing} is missing: ${what} SKIPPED. !!!\n`);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !LANGUAGES.some((language) => language === name));
const isWanted = (language: Language): boolean => wanted.length === 0 || wanted.includes(language);
const missing = missingForClients();
if (unknown.length > 0) {
  console.error(`Languages must be among ${LANGUAGES.join(', ')}, and ${unknown.join(', ')} is none of them.`);
  process.exitCode = 1;
} else if (missing) console.log(`\n!!! Generated clients are SKIPPED. ${missing} !!!\n`);
else await check();

async function check(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-sdk-check-'));
  try {
    const clientsOf = (language: Client['language']): Client[] =>
      SURFACES.map((surface) => ({ language, surface, folder: join(folder, `${language}-${surface}`) }));
    const compiled = COMPILED.filter(([language, tool, ...args]) => {
      if (!isWanted(language)) return false;
      const present = hasTool(tool, ...args);
      if (!present) skip(`its clients are`, language);
      return present;
    }).map(([language]) => language);
    const python = isWanted('python') ? await pythonWith(folder) : null;
    if (!python && isWanted('python')) skip('the calls are', 'Python, or one of the modules that its clients need,');
    const languages = [...(python ? (['python'] as const) : []), ...compiled];
    if (languages.length === 0) return;
    const warnings = await generateClients(languages.flatMap(clientsOf), folder);
    say(`Made the clients in ${languages.join(', ')}, with ${warnings.length} warnings.`);
    for (const warning of new Set(warnings)) console.log(`        ${warning}`);
    const compiling = compiled.map(async (language) => {
      await Promise.all(clientsOf(language).map((client) => compile(language, client.folder)));
      say(`The clients in ${language} compile.`);
    });
    const trying = python ? tryPython(python, clientsOf('python')) : null;
    await Promise.all([trying, ...compiling]);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryPython(python: string, clients: readonly Client[]): Promise<void> {
  const env = { ...process.env, PYTHONPATH: clients.map(({ folder }) => folder).join(':') };
  const service = await startSimulatedService({ sites: 5, env: { SITEFLEET_RESPONSE_CHECKS: 'refuse' } });
  try {
    const { url, user, password, apiKey, container, fleet } = service;
    for (const site of fleet.sites)
      await container.services.sites.sites.add(
        { url: site.url, admin: site.admin, password: site.adminPassword },
        'sdk-check',
      );
    const last = fleet.sites.at(-1);
    if (last) last.fault = { kind: 'refuse' };
    const script = join(import.meta.dirname, 'try_clients.py');
    // Python writes nothing beside its sources.
    say((await outputOf(python, ['-B', script, 'generated', url, user, password, apiKey], { env })).trim());
  } finally {
    await service.close();
  }
}
