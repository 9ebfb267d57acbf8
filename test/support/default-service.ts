import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/support/free-port.ts';
import { createMemoryFolder } from '../../scripts/support/memory-folder.ts';
import { builtEntry } from './built-entry.ts';
import { noteLogLine } from './service-errors.ts';
import { runEntry } from './service-process.ts';
import { SHORT_PROCESS_OPTIONS } from './short-lived.ts';

export interface RawAnswer {
  status: number;
  // Bodies differ by operation.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export async function rawAnswerOf(answer: Response): Promise<RawAnswer> {
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
  return { status: answer.status, body: isJson ? JSON.parse(text) : text };
}

/** A service after `npm start`, with no configuration except the addresses of its sites. */
export class DefaultService {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly url: string;
  readonly authorization: string;
  readonly credential: { user: string; password: string };

  private constructor(
    child: ChildProcess,
    folder: string,
    url: string,
    credential: { user: string; password: string },
  ) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
    this.credential = credential;
    this.authorization = `Basic ${Buffer.from(`${credential.user}:${credential.password}`).toString('base64')}`;
  }

  static async start(env: Record<string, string> = {}): Promise<DefaultService> {
    const folder = await mkdtemp(join(await createMemoryFolder(), 'sitefleet-default-'));
    const port = await freePort();
    const child = spawn(process.execPath, [...SHORT_PROCESS_OPTIONS, await builtEntry('main')], {
      env: {
        PATH: process.env['PATH'],
        PORT: String(port),
        SITEFLEET_DATA_DIR: folder,
        SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
        // Keeps the examples of the contract from starting a browser or calling a provider.
        CHROME_PATH: '/nowhere/chromium',
        SITEFLEET_PAGESPEED_URL: 'http://127.255.0.1:40404/',
        SITEFLEET_DIRECTORY_URL: 'http://127.255.0.1:40404/',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += printed.length < 10_000 ? chunk.toString('utf8') : ''));
    createInterface({ input: child.stdout }).on('line', noteLogLine);
    for (;;) {
      const [, user = '', password] = /user +(\S+)\n +application password +(\S+)\n/.exec(printed) ?? [];
      if (password) return new DefaultService(child, folder, `http://127.0.0.1:${port}`, { user, password });
      if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
      await sleep(20);
    }
  }

  async send(method: string, path: string, body?: string | null, contentType = 'application/json'): Promise<RawAnswer> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { authorization: this.authorization, ...(body ? { 'content-type': contentType } : {}) },
      ...(body ? { body } : {}),
    });
    return rawAnswerOf(answer);
  }

  /** Creates a user with the admin command. Returns the `Authorization` header. */
  async createUser(name: string, role: 'administrator' | 'editor' | 'viewer'): Promise<string> {
    const env = { SITEFLEET_DATA_DIR: this.#folder };
    const { out, err } = await runEntry('cli', ['users', 'create', name, '--role', role, '--json'], env);
    assert.equal(err, '');
    const { password } = JSON.parse(out) as { password: string };
    return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
