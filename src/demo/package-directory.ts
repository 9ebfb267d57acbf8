import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import yazl from 'yazl';
import { PLUGINS, THEMES } from '../sandbox/index.ts';

/**
 * Local server in place of the WordPress.org directory. It has every version of a plugin or theme up to the newest that
 * the simulated sites know.
 */
export interface DemoDirectory {
  env: Record<string, string>;
  close: () => void;
}

export async function startDemoDirectory(): Promise<DemoDirectory> {
  const server: Server = createServer(({ url = '' }, response) => {
    const files = releaseAt(url);
    if (!files) return response.writeHead(404).end();
    const zip = new yazl.ZipFile();
    for (const [path, text] of files) zip.addBuffer(Buffer.from(text), path, { mtime: RELEASED });
    zip.end();
    return zip.outputStream.pipe(response);
  }).listen(0, '127.0.0.1');
  server.unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { env: { SITEFLEET_DIRECTORY_URL: `http://127.0.0.1:${port}` }, close: () => server.close() };
}

/** Date of all files. It is constant, so that the zip of a release always has the same hash. */
const RELEASED = new Date(2026, 0, 1);

function releaseAt(url: string): [path: string, text: string][] | null {
  const [, kind, slug, version = ''] = /^\/(plugin|theme)\/([\w-]+?)\.([\w.-]+)\.zip$/.exec(url) ?? [];
  if (kind === 'plugin') {
    const plugin = PLUGINS.find(({ file, versions }) => file.startsWith(`${slug}/`) && isReleased(version, versions));
    return plugin ? [[plugin.file, `<?php\n/*\nPlugin Name: ${plugin.name}\nVersion: ${version}\n*/\n`]] : null;
  }
  const theme = THEMES.find(({ stylesheet, versions }) => stylesheet === slug && isReleased(version, versions));
  if (!theme) return null;
  const header = `/*\nTheme Name: ${theme.name}\nVersion: ${version}\n*/\n`;
  return [
    [`${theme.stylesheet}/style.css`, header],
    [`${theme.stylesheet}/index.php`, '<?php\n'],
  ];
}

/** True up to the newest version. The change history of the demo also has versions that `versions` lacks. */
const isReleased = (version: string, versions: readonly string[]): boolean =>
  version.localeCompare(versions.at(-1) ?? '', 'en', { numeric: true }) <= 0;
