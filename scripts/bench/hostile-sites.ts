/**
 * Runs registered sites that answer as a hacked site could: `hostile-sites.ts <each>`, with this number of sites for
 * each kind of answer below. All answers are too large.
 */
import { startFleet } from '../../src/sandbox/index.ts';
import { loadKeyPool, keyPairAt, DASHBOARD_URL } from './keys.ts';

const MB = 1024 * 1024;
const frame = (json: string): string => `<mainwp>${Buffer.from(json).toString('base64')}</mainwp>`;
const list = (item: string, bytes: number): string =>
  `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)))}${item}]`;

/** Returns members whose names repeat after 9,973. */
const names = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, index) => `"name${count > 9_973 ? index : (first + index * 31) % 9_973}":1`).join(
    ',',
  );

const SHAPES: Record<string, () => string> = {
  '24 MB of {}': () => frame(list('{}', 24 * MB)),
  'as many {} as fit': () => frame(list('{}', 2.9 * MB)),
  'as many values as may be': () => frame(list('{"a":[]}', 9 * 33_000)),
  'as many names as may be': () => frame(`{${names(9_990)}}`),
  'more names than that': () => frame(`{${names(99_000)}}`),
  'names in every order': () =>
    frame(`[${Array.from({ length: 3_000 }, (_, index) => `{${names(32, index * 7)}}`).join(',')}]`),
  'a text of escapes': () => frame(`{"text":"${'\\u00e9'.repeat(MB / 2.1)}"}`),
  'lists in lists': () => frame('['.repeat(2.9 * MB)),
  'base64 in base64': () => frame(JSON.stringify({ text: Buffer.alloc(2 * MB, 1).toString('base64') })),
  'beginnings of frames': () => '<mainwp>!'.repeat((3.9 * MB) / 9),
  'empty frames': () => '<mainwp>!</mainwp>'.repeat((3.9 * MB) / 18),
  'entities and tags': () => frame(JSON.stringify({ error: '&amp;lt;<b '.repeat(MB / 5) })),
  'a page': () => `<html>${'<p>'.repeat(1.3 * MB)}`,
};

const each = Number(process.argv[2] ?? 10);
const pool = loadKeyPool();
const shapes = Object.keys(SHAPES);
const fleet = await startFleet({
  sites: shapes.length * each,
  requestLog: 0,
  primedKeys: (index) => ({ publicKeyPem: keyPairAt(pool, index).publicKeyPem, server: DASHBOARD_URL, admin: 'admin' }),
});
for (const [shape, name] of shapes.entries()) {
  const body = SHAPES[name]?.() ?? '';
  for (const site of fleet.sites.slice(shape * each, (shape + 1) * each))
    site.fault = { kind: 'raw', status: 200, body };
}
console.log(JSON.stringify({ url: JSON.stringify({ shapes, urls: fleet.sites.map(({ url }) => url) }) }));
process.on('SIGTERM', () => void fleet.close().then(() => process.exit(0)));
