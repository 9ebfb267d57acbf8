import { createInterface } from 'node:readline';
import { addAbortSignal, Writable } from 'node:stream';
import { InterruptedError, UsageError } from './exit-codes.ts';
import type { CliEnvironment } from './cli-environment.ts';

const LONGEST = 4096;

/** Reads a secret from a pipe, or from the terminal without echo. An argument would be in the list of processes. */
export async function readSecret(question: string, { stdin, err, signal }: CliEnvironment): Promise<string> {
  const text = stdin.isTTY
    ? await promptForSecret(question, { stdin, err, signal })
    : await readPipedSecret(stdin, signal);
  const secret = text.replace(/\r?\n[\s\S]*$/, '').trim();
  if (secret === '') throw new UsageError('No secret was read. Pipe it to standard input, or type it at the prompt.');
  return secret;
}

async function readPipedSecret(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const chunk of addAbortSignal(signal, stdin)) {
    text += String(chunk);
    if (text.length > LONGEST) throw new UsageError('The secret on standard input is too long.');
  }
  return text;
}

function promptForSecret(
  question: string,
  { stdin, err, signal }: Pick<CliEnvironment, 'stdin' | 'err' | 'signal'>,
): Promise<string> {
  err.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, signal });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => {
      reject(new InterruptedError());
      lines.close();
    });
    lines.once('close', () => {
      err.write('\n');
      reject(new UsageError('No secret was typed.'));
    });
  });
}
