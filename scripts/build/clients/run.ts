import { spawn, spawnSync } from 'node:child_process';

export const hasTool = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Runs a command until it ends. Returns its output. Throws the output if the command fails. */
export function outputOf(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', fail);
    child.on('close', (status) => {
      if (status === 0) done(text);
      else fail(new Error(`${command} ${args.slice(0, 4).join(' ')} failed (${status}):\n${text.slice(-6000)}`));
    });
  });
}
