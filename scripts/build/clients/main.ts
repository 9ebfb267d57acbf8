/** `npm run sdk -- python|php|go`: clients of both surfaces in another language, ready to install. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SURFACES, type Surface } from '../../contract/surfaces.ts';
import { generateClients, missingForClients } from './generator.ts';
import { nextStep } from './languages.ts';

const LANGUAGES = ['python', 'php', 'go'] as const;
type Wanted = (typeof LANGUAGES)[number];

const USAGE = `Usage: npm run sdk -- ${LANGUAGES.join('|')} [--out <folder>]

Makes a client of each surface, \`abilities\` and \`v2\`, with openapi-generator, of the contract in generated/.

  --out <folder>   where they go, in a folder for each surface (default: clients/<language>)
  --help           this text

It needs Java 11 or newer, and Maven, which fetches openapi-generator once; OPENAPI_GENERATOR_JAR names a file of
openapi-generator-cli that is there already. For TypeScript there is the package @sitefleet/sdk, which needs neither.`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) console.log(USAGE);
  else await make(languageIn(positionals), values.out);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function languageIn(words: string[]): Wanted {
  const language = LANGUAGES.find((each) => each === words[0]);
  if (!language || words.length > 1) throw new Error(USAGE);
  return language;
}

async function make(language: Wanted, out = join('clients', language)): Promise<void> {
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
  console.log(`Made ${Object.values(folders).map(shortOf).join(' and ')}; each has a README with all of its calls.

Next:

${nextStep(language, folders as Record<Surface, string>)}`);
}

function shortOf(folder: string): string {
  const short = relative(process.cwd(), folder);
  return short.startsWith('..') ? folder : short;
}
