import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCommandLine } from '../../scripts/release/command-line.ts';

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
