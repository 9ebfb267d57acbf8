import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { build } from 'esbuild';

/*
 * Joins the compiled files of the service and of the demo. Finding and reading about 1,100 single files takes a quarter
 * of the processor time of a start and 10 MB of memory. The command lines and the processes that the service starts
 * stay single files.
 */
const SOURCES = resolve('src');
const TARGET = resolve('dist/src');

/** All output files are in this one folder, so that `fromBundle` holds in each of them. */
const BUNDLE = 'bundle';
const ENTRIES = { main: 'main', demo: 'demo/main' };

/** Lets a module that looks for files beside itself find them beside its compiled file. */
const ownPlaces = {
  name: 'own places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta')) return undefined;
      const compiled = relative(SOURCES, path).replaceAll('\\', '/').replace(/ts$/, 'js');
      const fromBundle = (file) => `new URL(${JSON.stringify(`../${file}`)}, import.meta.url)`;
      const places = {
        url: `${fromBundle(compiled)}.href`,
        filename: `pathOfUrl(${fromBundle(compiled)})`,
        dirname: `pathOfUrl(${fromBundle(compiled.replace(/\/?[^/]*$/, '') || '.')})`,
      };
      const moved = text.replace(/import\.meta\.(\w+)/g, (all, name) => places[name] ?? all);
      return { contents: `import { fileURLToPath as pathOfUrl } from 'node:url';\n${moved}`, loader: 'ts' };
    });
  },
};

// The old bundle stays in place until the new one is complete, so that a failed build leaves a service that starts.
const made = resolve(TARGET, `${BUNDLE}.new`);
await rm(made, { recursive: true, force: true });
await build({
  entryPoints: Object.entries(ENTRIES).map(([out, entry]) => ({ in: resolve(SOURCES, `${entry}.ts`), out })),
  outdir: made,
  plugins: [ownPlaces],
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
});
await rm(resolve(TARGET, BUNDLE), { recursive: true, force: true });
await rename(made, resolve(TARGET, BUNDLE));
for (const [out, entry] of Object.entries(ENTRIES)) {
  const file = resolve(TARGET, `${entry}.js`);
  const bundled = `${'../'.repeat(entry.split('/').length - 1) || './'}${BUNDLE}/${out}.js`;
  await writeFile(file, `export * from '${bundled}';\n`);
}
