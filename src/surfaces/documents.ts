import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Documents } from '../http/documents.ts';
import { GENERATED_FOLDER, readContract, type SurfaceName } from './generated-files.ts';

const SITE = join(GENERATED_FOLDER, 'docs');

const isSurface = (name: string): name is SurfaceName => name === 'abilities' || name === 'v2';

export function createDocuments(publicUrl: string): Documents {
  const texts = new Map<SurfaceName, string>();
  const served = (surface: SurfaceName): string => {
    const known = texts.get(surface);
    if (known !== undefined) return known;
    const contract = readContract(surface);
    const servers = contract.servers.map((server) => ({ ...server, url: publicUrl + server.url }));
    const text = JSON.stringify({ ...contract, servers });
    texts.set(surface, text);
    return text;
  };
  const yaml = new Map<SurfaceName, string>();

  return {
    site: SITE,
    has: isSurface,
    json: (surface) => (isSurface(surface) ? served(surface) : null),
    yaml: async (surface) => {
      if (!isSurface(surface)) return null;
      const text = yaml.get(surface) ?? (await readYaml(surface, publicUrl));
      if (text !== null) yaml.set(surface, text);
      return text;
    },
    workflow: (name) => readFile(join(GENERATED_FOLDER, 'workflows', `${name}.arazzo.yaml`), 'utf8').catch(() => null),
  };
}

/** Reads a contract in YAML. The build writes it, because converting takes a second. Null if the docs are not built. */
async function readYaml(surface: SurfaceName, publicUrl: string): Promise<string | null> {
  const text = await readFile(join(SITE, 'openapi', `${surface}.yaml`), 'utf8').catch(() => null);
  return (
    text?.replace(/^ {2}- url: (\/.*)$/gm, (_, path: string) => `  - url: ${JSON.stringify(publicUrl + path)}`) ?? null
  );
}
