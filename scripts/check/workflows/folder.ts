import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sliceContract, VERBS } from '../../../src/contract/index.ts';
import type { Document } from '../../contract/document.ts';
import { SURFACES } from '../../../src/contract/surfaces.ts';

const WORKFLOWS = 'openapi/workflows';
const SUFFIX = '.arazzo.yaml';

/** Returns the workflows of the repository by name. */
export async function readWorkflows(): Promise<Map<string, string>> {
  const names = (await readdir(WORKFLOWS)).filter((name) => name.endsWith(SUFFIX)).sort();
  const texts = names.map(async (name) => {
    const text = await readFile(join(WORKFLOWS, name), 'utf8');
    return [basename(name, SUFFIX), text] as const;
  });
  return new Map(await Promise.all(texts));
}

/** Creates a temporary folder and removes it after the use. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-workflows-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes workflows and documents into the folder in the layout of a service (`/openapi/v2.json`,
 * `/openapi/workflows/content.arazzo.yaml`), with the address of the service. Returns the file of each workflow. The
 * documents contain only the operations that the workflows call, because the runner reads them again for each workflow.
 */
export async function writeWorkflowFolder(folder: string, url: string): Promise<Map<string, string>> {
  await mkdir(join(folder, 'workflows'), { recursive: true });
  const files = new Map<string, string>();
  const called = new Set<string>();
  for (const [name, text] of await readWorkflows()) {
    for (const [, id = ''] of text.matchAll(/operationId: \$sourceDescriptions\.\w+\.(\S+)/g)) called.add(id);
    files.set(name, join(folder, 'workflows', name + SUFFIX));
    await writeFile(join(folder, 'workflows', name + SUFFIX), text);
  }
  for (const surface of SURFACES) {
    const document = JSON.parse(await readFile(`generated/${surface}.openapi.json`, 'utf8')) as Document;
    document.servers = document.servers.map((server) => ({ ...server, url: url + server.url }));
    await writeFile(join(folder, `${surface}.json`), JSON.stringify(withOperations(called, document)));
  }
  return files;
}

function withOperations(operationIds: ReadonlySet<string>, document: Document): Document {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([, item]) =>
      VERBS.some((verb) => operationIds.has(item[verb]?.operationId ?? '')),
    ),
  );
  const components: Document['components'] = {};
  for (const slice of sliceContract({ ...document, paths }))
    for (const [kind, named] of Object.entries(slice.components)) components[kind] = { ...components[kind], ...named };
  return { ...document, paths, components };
}
