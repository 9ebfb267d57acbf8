/** `npm run docs:preview`: the rendered reference, which the browser loads again when openapi/ has changed. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { renderDocs } from './build-docs.ts';
import { SURFACES } from './contract/surfaces.ts';
import { generateAgain, watchFolder } from './watch-folder.ts';

const PORT = Number(process.env['PORT'] ?? 8090);
const RELOAD = `<script>new EventSource('/changes').onmessage = () => location.reload()</script>`;
const readers = new Set<ServerResponse>();

await renderDocs();
const server = createServer((request, response) => void answer(request.url ?? '/', response));
await once(server.listen(PORT, '127.0.0.1'), 'listening');
for (const surface of SURFACES) console.log(`http://127.0.0.1:${PORT}/${surface}`);

watchFolder('openapi', async () => {
  console.log('openapi/ has changed.');
  await generateAgain();
  await renderDocs();
  console.log('The pages are made again.');
  for (const reader of readers) reader.write('data: changed\n\n');
});

async function answer(url: string, response: ServerResponse): Promise<void> {
  if (url === '/changes') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    readers.add(response);
    response.on('close', () => readers.delete(response));
    return;
  }
  const surface = SURFACES.find((name) => url === `/${name}`);
  const page = surface
    ? await readFile(`generated/docs/${surface}.html`, 'utf8')
    : SURFACES.map((name) => `<p><a href="/${name}">${name}</a></p>`).join('');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page + RELOAD);
}
