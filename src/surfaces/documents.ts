import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../http/documents.ts';
import { contractText, GENERATED_FOLDER, type SurfaceName } from './generated-files.ts';

const isSurface = (name: string): name is SurfaceName => name === 'abilities' || name === 'v2';

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
    site: join(GENERATED_FOLDER, 'docs'),
    json: (surface) => (isSurface(surface) ? served(surface) : null),
    yaml: async (surface) => {
      if (!isSurface(surface)) return null;
      let text = yaml.get(surface);
      if (text === undefined) {
        const { stringify } = await import('yaml');
        // YAML aliases would make the text smaller, but client generators fail on them.
        yaml.set(surface, (text = stringify(JSON.parse(served(surface)), { aliasDuplicateObjects: false })));
      }
      return text;
    },
    workflow: (name) => readFile(join(GENERATED_FOLDER, 'workflows', `${name}.arazzo.yaml`), 'utf8').catch(() => null),
  };
}
