import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../http/documents.ts';
import { contractText, GENERATED, type SurfaceName } from './generated.ts';

const SURFACES: Record<SurfaceName, string> = { abilities: 'Abilities', v2: 'REST v2' };
const isSurface = (name: string): name is SurfaceName => Object.hasOwn(SURFACES, name);

/** The contracts and their rendered reference, with the address at which this service is reached. */
export function createDocuments(publicUrl: string): Documents {
  const texts = new Map<SurfaceName, string>();
  const served = (surface: SurfaceName): string => {
    let text = texts.get(surface);
    if (text === undefined) {
      const contract = JSON.parse(contractText(surface)) as { servers: { url: string }[] };
      contract.servers = contract.servers.map((server) => ({ ...server, url: publicUrl + server.url }));
      texts.set(surface, (text = JSON.stringify(contract)));
    }
    return text;
  };
  const yaml = new Map<SurfaceName, string>();

  return {
    json: (surface) => (isSurface(surface) ? served(surface) : null),
    yaml: async (surface) => {
      if (!isSurface(surface)) return null;
      let text = yaml.get(surface);
      if (text === undefined) {
        const { stringify } = await import('yaml');
        // Aliases would be smaller, and are what generators of clients stumble over.
        yaml.set(surface, (text = stringify(JSON.parse(served(surface)), { aliasDuplicateObjects: false })));
      }
      return text;
    },
    reference: async (surface) =>
      isSurface(surface) ? readFile(join(GENERATED, 'docs', `${surface}.html`)).catch(() => null) : null,
    workflow: (name) => readFile(join(GENERATED, 'workflows', `${name}.arazzo.yaml`), 'utf8').catch(() => null),
    index,
  };
}

function index(): string {
  const entries = Object.entries(SURFACES)
    .map(
      ([name, title]) =>
        `<li><a href="/docs/${name}">${title}</a> (<a href="/openapi/${name}.json">JSON</a>, ` +
        `<a href="/openapi/${name}.yaml">YAML</a>)</li>`,
    )
    .join('\n      ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sitefleet API</title>
    <style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
  </head>
  <body>
    <h1>Sitefleet API</h1>
    <p>Two surfaces over one fleet: named abilities, and REST routes.</p>
    <ul>
      ${entries}
    </ul>
  </body>
</html>
`;
}
