import { readFileSync } from 'node:fs';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** `package.json` of the SDK; it has the version of the service whose contract it was made of. */
export function packageFile(): string {
  const { version, license, dependencies } = JSON.parse(read('package.json')) as {
    version: string;
    license: string;
    dependencies: Record<string, string>;
  };
  const entry = (path: string): object => ({ types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` });
  const manifest = {
    name: '@sitefleet/sdk',
    version,
    description: 'Typed client of a Sitefleet service, for Node, Deno, Bun and browsers',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: { '.': entry('runtime/index'), './core': entry('runtime/core'), './parts/*': entry('parts/*') },
    bin: { sitefleet: './dist/command-line.js' },
    files: ['dist'],
    dependencies: { 'openapi-fetch': dependencies['openapi-fetch'] },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export const licenseFile = (): string => read('LICENSE');

/** The readme of the package, with the quick start that the tests run. */
export function readmeFile(): string {
  return `# @sitefleet/sdk

Typed client of a Sitefleet service: every operation of its abilities and of REST v2 by name. It runs on Node 20 and
later, Deno, Bun and in browsers, and has one dependency, \`openapi-fetch\`.

\`\`\`ts
${read('examples/typescript/quick-start.ts').trim()}
\`\`\`

Refusals throw \`SitefleetError\`; narrowing on its \`code\` narrows its \`data\`. Paged abilities and routes are read with
\`items()\` or \`pages()\`, jobs are waited for with \`waitForJob()\`, and each call takes \`signal\`, \`timeoutMs\`, \`retries\`,
\`idempotencyKey\` and \`ifMatch\` behind its input. The guide that the service serves under \`/docs\` tells the rest.
`;
}
