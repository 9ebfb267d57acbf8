import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buildCommandLine } from '../../scripts/release/command-line.ts';
import type { CliEnvironment } from '../../src/client-cli/cli-environment.ts';
import { run } from '../../src/client-cli/run.ts';

export interface CliResult {
  code: number | null;
  out: string;
  err: string;
}

/** The installed command with its own home directory. */
export class InstalledCli {
  readonly #file: string;
  readonly home: string;
  env: Record<string, string> = {};

  private constructor(home: string) {
    this.home = home;
    this.#file = join(home, 'sitefleet.js');
  }

  static async build(): Promise<InstalledCli> {
    const command = new InstalledCli(await mkdtemp(join(tmpdir(), 'sitefleet-command-')));
    await buildCommandLine(command.#file);
    return command;
  }

  /** Runs a command until it ends. Blanks separate the words. */
  run(
    line: string,
    { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
  ): Promise<CliResult> {
    const child = spawn(process.execPath, [this.#file, ...line.split(' ').filter(Boolean)], {
      env: { PATH: process.env['PATH'] ?? '', HOME: this.home, ...this.env, ...env },
    });
    child.stdin.end(input);
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out, err }));
    });
  }

  /** Runs a command with `--json`. Returns the parsed output. */
  async json<T>(line: string): Promise<T> {
    const { code, out, err } = await this.run(`${line} --json`);
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

export type Respond = (response: ServerResponse, attempt: number, request: IncomingMessage) => void;

interface Setting {
  respond?: Respond;
  stdin?: NodeJS.ReadStream;
  isTerminal?: boolean;
  signal?: AbortSignal;
  /** Runs after the command has ended and before its server closes the connections. */
  afterwards?: () => Promise<unknown>;
}

/**
 * Runs a command in this process, with a service that responds as given. Blanks separate the words. Returns its exit
 * code and the texts on standard output and standard error.
 */
export async function runCommand(
  line: string,
  {
    respond = (response) => void response.end(),
    stdin = new PassThrough() as unknown as NodeJS.ReadStream,
    isTerminal = false,
    signal = new AbortController().signal,
    afterwards = () => Promise.resolve(),
  }: Setting,
): Promise<{ code: number; out: string; err: string }> {
  let attempts = 0;
  const server = createServer((request, response) => respond(response, ++attempts, request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let out = '';
  let err = '';
  const environment: CliEnvironment = {
    env: { SITEFLEET_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SITEFLEET_KEY: 'k' },
    platform: 'linux',
    home: '/nonexistent',
    out: { write: (text) => void (out += String(text)), isTerminal, columns: 80 },
    err: { write: (text) => void (err += String(text)), isTerminal, columns: 80 },
    stdin,
    signal,
  };
  try {
    const code = await run(line.split(' '), environment, '1.0.0');
    await afterwards();
    return { code, out, err };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const respondJson = (response: ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
