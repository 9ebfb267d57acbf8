import assert from 'node:assert/strict';
import { PERMISSION_FACTS } from '../../src/shared/permissions.ts';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import qs from 'qs';
import { errorCodesOf } from '../../src/contract/index.ts';
import { surfaceDocuments, type OperationEntry } from '../../scripts/docs/entries.ts';
import { docsExampleCall } from '../../scripts/docs/example-call.ts';
import { samplesOf, type Sample } from '../../scripts/docs/samples.ts';
import { exampleRequest } from '../../src/contract-checks/index.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the docs contain no records.

const KEY = 'test-key';
const run = promisify(execFile);

interface Call {
  method: string;
  path: string;
  query: unknown;
  authorization: string;
  body: unknown;
}

/** Server that answers every request with 200 and records it. */
class Recorder {
  readonly calls: Call[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#record(request).then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
    });
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #record(request: IncomingMessage): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    this.calls.push({
      method: request.method ?? '',
      path,
      query: withoutPageSize(query),
      authorization: request.headers.authorization ?? '',
      body: bodyOf(request.headers['content-type'], await text(request)),
    });
  }
}

/** Samples of lists set `per_page`. The examples of the contract do not. */
function withoutPageSize(query: string): unknown {
  const { per_page: _, ...others } = qs.parse(query, { arrayLimit: 1000 });
  return others;
}

/** Returns the field names of a form, because every client uses another boundary. */
function bodyOf(type: string | undefined, body: string): unknown {
  if (type?.startsWith('multipart/form-data'))
    return [...body.matchAll(/; name="?(\w+)/g)].map(([, name]) => name).sort();
  return body === '' ? null : (JSON.parse(body) as unknown);
}

/** True for a list that a `read` key can get from an empty fleet. */
function succeedsOnEmptyFleet({ contract, place }: OperationEntry): boolean {
  const codes = [...errorCodesOf(contract, place).values()].flat();
  const needsRecord = place.path.includes('{') || codes.some((code) => code.endsWith('_not_found'));
  return (
    place.verb === 'get' && !needsRecord && PERMISSION_FACTS[place.operation['x-permission'] ?? '']?.scope === 'read'
  );
}

/** Runs the samples of a language one after another. */
interface Runner {
  language: string;
  isInstalled: () => boolean;
  /** Returns a file with all samples, and the command that runs it. */
  program: (codes: readonly string[]) => { file: string; text: string; command: string[] };
}

const runsSuccessfully = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

const RUNNERS: readonly Runner[] = [
  {
    language: 'curl',
    isInstalled: () => runsSuccessfully('curl', '--version'),
    program: (codes) => ({
      file: 'samples.sh',
      // Hides the responses.
      text: ['set -e', 'curl() { command curl -sS "$@" >/dev/null; }', ...codes].join('\n'),
      command: ['sh', 'samples.sh'],
    }),
  },
  {
    language: 'Python',
    isInstalled: () => runsSuccessfully('python3', '-c', 'import requests'),
    program: (codes) => ({
      file: 'samples.py',
      text: `for code in ${JSON.stringify(codes)}:\n    exec(code, {"print": lambda *words: None})\n`,
      command: ['python3', 'samples.py'],
    }),
  },
  {
    language: 'PHP',
    isInstalled: () => runsSuccessfully('php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'),
    program: (codes) => ({
      file: 'samples.php',
      text: codes.join('\n?>\n'),
      command: ['php', 'samples.php'],
    }),
  },
];

describe('samples of the docs', function () {
  // Starts some hundred curl processes, possibly on a busy machine.
  this.timeout(240_000);
  const entries: OperationEntry[] = surfaceDocuments().flatMap(({ parts }) => parts.flatMap((part) => part.entries));
  const codeOf = (entry: OperationEntry, language: string): string =>
    (samplesOf(docsExampleCall(entry)).find(({ label }) => label === language) as Sample).code;

  /** Returns the call in the examples of the contract. Other tests send it to the service. */
  async function documentedCall(entry: OperationEntry): Promise<Call> {
    const { method, path: address, body, contentType } = await exampleRequest(entry.contract, entry.place);
    const [path = '', query = ''] = address.split('?');
    const sent = bodyOf(contentType ?? undefined, body ?? '');
    return { method, path, query: withoutPageSize(query), authorization: `Bearer ${KEY}`, body: sent };
  }

  for (const { language, isInstalled, program } of RUNNERS)
    it(`when the samples in ${language} are run, then each sends the example request of the contract`, async function () {
      if (!isInstalled()) {
        process.stderr.write(`\n!!! ${language} or its HTTP client is not installed: its samples are NOT RUN. !!!\n`);
        return this.skip();
      }
      const recorder = new Recorder();
      const folder = await mkdtemp(join(tmpdir(), 'sitefleet-samples-'));
      try {
        const env = { ...process.env, SITEFLEET_URL: await recorder.start(), SITEFLEET_KEY: KEY };
        const { file, text: written, command } = program(entries.map((entry) => codeOf(entry, language)));
        await writeFile(join(folder, file), written);
        for (const { file } of entries.flatMap((entry) => docsExampleCall(entry).form ?? []))
          if (file) await writeFile(join(folder, file.name), 'username,email\n');
        const [name = '', ...args] = command;
        await run(name, args, { cwd: folder, env, maxBuffer: 64 << 20 });
        const expected = await Promise.all(entries.map(documentedCall));
        assert.equal(recorder.calls.length, expected.length);
        for (const [index, { id }] of entries.entries()) assert.deepEqual(recorder.calls[index], expected[index], id);
      } finally {
        recorder.close();
        await rm(folder, { recursive: true });
      }
    });

  it('when the curl samples of lists run in a shell, then the service returns 200', async () => {
    const lists = entries.filter(succeedsOnEmptyFleet);
    assert.ok(lists.length > 40);
    const world: World = await startWorld();
    try {
      const key = String(world.authorizations.reader).replace('Bearer ', '');
      const env = { ...process.env, SITEFLEET_URL: world.url, SITEFLEET_KEY: key };
      const shell = ['curl() { command curl -s -o /dev/null -w "%{http_code}\\n" "$@"; }'];
      const { stdout } = await run(
        'sh',
        ['-c', [...shell, ...lists.map((entry) => codeOf(entry, 'curl'))].join('\n')],
        { env },
      );
      const statuses = stdout.trim().split('\n');
      assert.deepEqual(
        lists.flatMap(({ id }, index) => (statuses[index] === '200' ? [] : [`${id}: ${statuses[index]}`])),
        [],
      );
    } finally {
      await world.close();
    }
  });
});
