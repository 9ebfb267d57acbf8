import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './exit-codes.ts';
import type { CliEnvironment } from './cli-environment.ts';

const LONGEST = 4096;

/** Reads a secret from a pipe, or from the terminal without echo. An argument would be in the list of processes. */
export async function readSecret(question: string, { stdin, err, signal }: CliEnvironment): Promise<string> {
  const text = stdin.isTTY ? await promptForSecret(question, { stdin, err, signal }) : await readPipedSecret(stdin);
  const secret = text.replace(/\r?\n[\s\S]*$/, '').trim();
  if (secret === '') throw new UsageError('No secret was read. Pipe it to standard input, or type it at the prompt.');
  return secret;
}

async function readPipedSecret(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
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
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    const end = (): void => {
      lines.close();
      err.write('\n');
    };
    lines.once('line', (line) => {
      end();
      resolve(line);
    });
    lines.once('SIGINT', () => {
      end();
      reject(new UsageError('No secret was typed.'));
    });
    signal.addEventListener('abort', () => lines.close(), { once: true });
  });
}
