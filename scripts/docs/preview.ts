/**
 * Serves the docs site. The browser reloads it if the contract or docs/ changes.
 *
 *   npx tsx scripts/docs/preview.ts
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import express from 'express';
import { buildDocs, SITE } from './build.ts';
import { generateAgain, watchFolder } from '../dev/watch-folder.ts';

const PORT = Number(process.env['PORT'] ?? 8090);
const RELOAD = `new EventSource('/changes').onmessage = () => location.reload();`;
const openStreams = new Set<ServerResponse>();

await build();
const app = express();
app.get('/changes', (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  openStreams.add(response);
  response.on('close', () => openStreams.delete(response));
});
app.use('/docs', express.static(SITE, { extensions: ['html'], cacheControl: false }));
app.get('/', (_request, response) => response.redirect('/docs/'));
const server = createServer(app);
await once(server.listen(PORT, '127.0.0.1'), 'listening');
console.log(`http://127.0.0.1:${PORT}/docs/`);

watchFolder('openapi', async () => {
  await generateAgain();
  await refresh();
});
watchFolder('docs', refresh);

async function build(): Promise<void> {
  for (const line of await buildDocs({ script: RELOAD })) console.error(line);
}

async function refresh(): Promise<void> {
  await build();
  console.log('Rebuilt the docs.');
  for (const reader of openStreams) reader.write('data: changed\n\n');
}
