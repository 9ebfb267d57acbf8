import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles the command line and its dependencies into one file, so that the SDK package needs no dependency for it. */
export async function buildCommandLine(file: string, root = '.'): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  await build({
    entryPoints: [join(root, 'src/client-cli/main.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'eof',
    define: { SITEFLEET_VERSION: JSON.stringify(version) },
    banner: {
      // Bundled CommonJS packages load modules of Node with `require`.
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
}

if (import.meta.filename === process.argv[1]) {
  await buildCommandLine('dist/sitefleet.js');
  console.log('Built dist/sitefleet.js.');
}
