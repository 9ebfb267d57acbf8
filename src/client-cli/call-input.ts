import { readFile } from 'node:fs/promises';
import type { Operation } from '../sdk/index.ts';
import { UsageError } from './exit-codes.ts';
import type { CliEnvironment } from './cli-environment.ts';

type CallInputValues = Record<string, unknown>;

const LONGEST = 8 << 20;

/** Reads a JSON object. The file name `-` means standard input, of which at most 8 MiB are read. */
export async function readInput(file: string, { stdin }: CliEnvironment): Promise<CallInputValues> {
  const text = file === '-' ? await readStdin(stdin) : await readFile(file, 'utf8').catch(unreadable(file));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CallInputValues;
  } catch {
    // The error is thrown below, as for JSON that is no object.
  }
  throw new UsageError(`${file === '-' ? 'Standard input' : file} must contain a JSON object.`);
}

async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Buffer));
    size += chunks.at(-1)?.length ?? 0;
    if (size > LONGEST) throw new UsageError('Standard input is larger than the service accepts.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

const unreadable =
  (file: string) =>
  (error: Error): never => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  };

export function buildCallInput(
  operation: Operation,
  words: readonly string[],
  jsonFields: CallInputValues,
): CallInputValues {
  const fields = parseFieldWords(words);
  if (operation.ability) return { ...jsonFields, ...fields };
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const rest = operation.method === 'GET' || operation.method === 'DELETE' ? 'query' : 'body';
  const input: Record<'path' | 'query' | 'body', CallInputValues> = { path: {}, query: {}, body: {} };
  for (const [key, value] of Object.entries({ ...jsonFields, ...fields })) {
    const [, where, name = key] = /^(path|query|body)\.(.+)$/.exec(key) ?? [];
    const place = (where ?? (inPath.has(key) ? 'path' : rest)) as keyof typeof input;
    input[place][name] = value;
  }
  const missing = [...inPath].filter((name) => input.path[name ?? ''] === undefined);
  if (missing.length > 0) throw new UsageError(`${operation.id} requires ${missing.join(' and ')}.`);
  return Object.fromEntries(Object.entries(input).filter(([, all]) => Object.keys(all).length > 0));
}

/** Parses words like `name=value`. A name that occurs several times becomes a list. */
function parseFieldWords(words: readonly string[]): CallInputValues {
  const lists = new Map<string, unknown[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`"${word}" must have the form name=value.`);
    const name = word.slice(0, at);
    lists.set(name, [...(lists.get(name) ?? []), parseFieldValue(word.slice(at + 1))]);
  }
  return Object.fromEntries([...lists].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

function parseFieldValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
