/** Makes installable clients: the TypeScript SDK, or clients of both surfaces in another language. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';
import { buildSdk, packSdk } from '../../release/sdk-package.ts';
import { generateClients, missingForClients } from './generator.ts';
import { nextStep } from './languages.ts';

const LANGUAGES = ['python', 'php', 'go'] as const;
type SdkLanguage = (typeof LANGUAGES)[number];

const USAGE = `Usage: npm run sdk -- typescript|${LANGUAGES.join('|')} [--out <folder>]

typescript packs @sitefleet/sdk (default folder: dist).

The other languages get a client of each surface, \`abilities\` and \`v2\`, in a folder for each (default folder:
clients/<language>). openapi-generator makes them from the contract in generated/. This needs Java 11 or newer, and
Maven, which downloads openapi-generator once. OPENAPI_GENERATOR_JAR can name an openapi-generator-cli file instead.

  --out <folder>   folder of the output
  --help           shows this text`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) console.log(USAGE);
  else if (positionals.length === 1 && positionals[0] === 'typescript') await packTypescript(values.out);
  else await generateSdk(languageIn(positionals), values.out);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function languageIn(words: string[]): SdkLanguage {
  const language = LANGUAGES.find((each) => each === words[0]);
  if (!language || words.length > 1) throw new Error(USAGE);
  return language;
}

async function packTypescript(out = 'dist'): Promise<void> {
  await buildSdk();
  const archive = await packSdk(resolve(out));
  console.log(`Packed ${shortOf(archive)}.\n\nNext, in your project:\n\nnpm install ${archive}`);
}

async function generateSdk(language: SdkLanguage, out = join('clients', language)): Promise<void> {
  const missing = missingForClients();
  if (missing) throw new Error(missing);
  const folders = Object.fromEntries(SURFACES.map((surface) => [surface, resolve(out, surface)]));
  const clients = SURFACES.map((surface) => ({ language, surface, folder: resolve(out, surface) }));
  const scratch = await mkdtemp(join(tmpdir(), 'sitefleet-sdk-'));
  try {
    const warnings = await generateClients(clients, scratch);
    for (const warning of warnings) console.error(warning);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  console.log(`Made ${Object.values(folders).map(shortOf).join(' and ')}. Each README lists all calls.

Next:

${nextStep(language, folders as Record<Surface, string>)}`);
}

function shortOf(folder: string): string {
  const short = relative(process.cwd(), folder);
  return short.startsWith('..') ? folder : short;
}
