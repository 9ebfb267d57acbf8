import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import yazl from 'yazl';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import type { World } from './world.ts';

export interface ZipEntry {
  path: string;
  text: string;
  mode?: number;
}

/** Packs files, and empty folders, whose path ends with a slash. The same files become the same zip. */
export async function makeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { path, text, mode } of entries) {
    const options = { mtime: new Date(2020, 0, 1), ...(mode !== undefined && { mode }) };
    if (path.endsWith('/')) zip.addEmptyDirectory(path, options);
    else zip.addBuffer(Buffer.from(text), path, options);
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface PluginOptions {
  folder?: string;
  file?: string;
  name?: string;
  header?: string;
}

export const pluginFile = (version: string, { name = 'Rig Alpha', header = '' }: PluginOptions = {}): string =>
  `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\n${header}*/\n`;

export const pluginEntries = (slug: string, version: string, options: PluginOptions = {}): ZipEntry[] => {
  const { folder = slug, file = `${slug}.php` } = options;
  return [
    { path: `${folder}/${file}`, text: pluginFile(version, options) },
    { path: `${folder}/inc/part.php`, text: '<?php // part\n' },
    { path: `${folder}/readme.txt`, text: '=== Plugin ===\nStable tag: trunk\n' },
  ];
};

export const pluginZip = (slug: string, version: string, options?: PluginOptions): Promise<Buffer> =>
  makeZip(pluginEntries(slug, version, options));

export const themeZip = (slug: string, version: string): Promise<Buffer> =>
  makeZip([
    { path: `${slug}/style.css`, text: `/*\nTheme Name: ${slug}\nVersion: ${version}\n*/\n` },
    { path: `${slug}/index.php`, text: '<?php\n' },
  ]);

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Checksums of a release, in the form of the directory. */
export const checksumsOf = (entries: readonly ZipEntry[]): string =>
  JSON.stringify({
    files: Object.fromEntries(
      entries.map(({ path, text }) => [path.slice(path.indexOf('/') + 1), { sha256: [sha256(text)] }]),
    ),
  });

/** A plugin and theme directory. Its answers are set by path; a number is a status without a body. */
export class TestDirectory {
  readonly answers = new Map<string, Buffer | string | number>();
  readonly requests: string[] = [];
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requests.push(path);
      const answer = this.answers.get(path) ?? 404;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(200).end(answer);
    });
  }

  static async start(): Promise<TestDirectory> {
    const directory = new TestDirectory();
    await directory.listen();
    return directory;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async release(kind: 'plugin' | 'theme', slug: string, version: string, zip?: Buffer): Promise<Buffer> {
    const bytes = zip ?? (await (kind === 'plugin' ? pluginZip(slug, version) : themeZip(slug, version)));
    this.answers.set(`/${kind}/${slug}.${version}.zip`, bytes);
    return bytes;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Stores a package in the vault without a directory. Returns its ID. */
export async function storePackage(world: World): Promise<number> {
  const directory = await TestDirectory.start();
  const zip = await directory.release('plugin', 'stored', '1.0');
  const body = { type: 'plugin', slug: 'stored', version: '1.0', url: `${directory.url}/plugin/stored.1.0.zip` };
  const { data } = (await world.request('POST', '/api/v2/packages/add', { body: { ...body, sha256: sha256(zip) } }))
    .body;
  directory.close();
  return data.id as number;
}

/** Uploads a package of the plugin `rig-alpha` as an administrator. Returns its record. */
export async function uploadAlpha(
  world: World,
  zip: Buffer,
  fields: { version: string; sha256?: string },
): Promise<{ id: number; verified_by: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ type: 'plugin', slug: 'rig-alpha', ...fields })) form.set(name, value);
  form.set('zip_file', new File([new Uint8Array(zip)], 'package.zip', { type: 'application/zip' }));
  const response = await fetch(`${world.url}/api/v2/packages/upload`, {
    method: 'POST',
    headers: { authorization: world.authorizations.admin ?? '' },
    body: form,
  });
  assert.equal(response.status, 200);
  return ((await response.json()) as { data: { id: number; verified_by: string } }).data;
}

export const ALPHA_FILE = 'rig-alpha/rig-alpha.php';

export interface Alpha {
  version?: string;
  active?: boolean;
  file?: string;
}

/** Puts the plugin on a site as it is after 1.0 was installed and 1.2 is offered. */
export function putAlpha(site: SimulatedSite, { version = '1.0', active = true, file = ALPHA_FILE }: Alpha = {}): void {
  const definition = {
    ...{ file, name: 'Rig Alpha', description: '', author: '', requiresPhp: '', ageDays: 1 },
    versions: ['1.0', '1.1', '1.2'],
  };
  const update = version === '1.2' ? null : '1.2';
  site.state.plugins.set(file, { definition, version, active, update, mu: false });
  site.state.phpVersion = '8.2.0';
  site.state.core.version = '6.9';
  site.touch();
}
