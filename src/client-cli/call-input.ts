import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { FIELD_TYPES } from '../../generated/field-types.ts';
import type { Operation } from '../sdk/index.ts';
import { UsageError } from './exit-codes.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { parseFieldValue } from './field-value.ts';

type CallInputValues = Record<string, unknown>;

const LONGEST = 8 << 20;

/** Reads a JSON object. The file name `-` means standard input, of which at most 8 MiB are read. */
export async function readInput(file: string, { stdin, signal }: CliEnvironment): Promise<CallInputValues> {
  const text = file === '-' ? await readStdin(stdin, signal) : await readFile(file, 'utf8').catch(unreadable(file));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CallInputValues;
  } catch {
    // The error is thrown below, as for JSON that is no object.
  }
  throw new UsageError(`${file === '-' ? 'Standard input' : file} must contain a JSON object.`);
}

async function readStdin(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
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

/**
 * Reads the files of a form. A value such as `@import.csv` is the name of a file; any other value is the content of the
 * file.
 */
export async function readFileFields({ files = [] }: Operation, input: CallInputValues): Promise<CallInputValues> {
  const fields = Object.entries((input['body'] ?? {}) as CallInputValues);
  const read = fields.map(async ([name, value]) => {
    if (!files.includes(name) || typeof value !== 'string' || !value.startsWith('@')) return [name, value] as const;
    const path = value.slice(1);
    const content = await readFile(path).catch(unreadable(path));
    return [name, new File([content], basename(path))] as const;
  });
  return files.length === 0 ? input : { ...input, body: Object.fromEntries(await Promise.all(read)) };
}

/** Values of the command line words `name=value`, by name. A repeated name has several values. */
type FieldWords = ReadonlyMap<string, readonly string[]>;

export function buildCallInput(
  operation: Operation,
  words: readonly string[],
  jsonFields: CallInputValues,
): CallInputValues {
  const types = FIELD_TYPES[operation.id] ?? {};
  const fields = parseFieldWords(words);
  const valueOf = (name: string, texts: readonly string[], isInQuery = false): unknown =>
    parseFieldValue(types[name] ?? '', texts, isInQuery);
  if (operation.ability) return { ...jsonFields, ...mapFields(fields, (name, texts) => valueOf(name, texts)) };
  const inPath = new Set([...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''));
  const rest = operation.method === 'GET' || operation.method === 'DELETE' ? 'query' : 'body';
  const input: Record<'path' | 'query' | 'body', CallInputValues> = { path: {}, query: {}, body: {} };
  const placeOf = (key: string): { place: keyof typeof input; name: string } => {
    const [, where, name = key] = /^(path|query|body)\.(.+)$/.exec(key) ?? [];
    return { place: (where ?? (inPath.has(key) ? 'path' : rest)) as keyof typeof input, name };
  };
  const parsed = mapFields(fields, (key, texts) => {
    const { place, name } = placeOf(key);
    // A value in a path is always a text, so `1.10` must not become the number 1.1.
    return place === 'path' ? texts.at(-1) : valueOf(name, texts, place === 'query');
  });
  for (const [key, value] of Object.entries({ ...jsonFields, ...parsed })) {
    const { place, name } = placeOf(key);
    input[place][name] = value;
  }
  const missing = [...inPath].filter((name) => input.path[name] === undefined);
  if (missing.length > 0) throw new UsageError(`${operation.id} requires ${missing.join(' and ')}.`);
  return Object.fromEntries(Object.entries(input).filter(([, all]) => Object.keys(all).length > 0));
}

const mapFields = (fields: FieldWords, valueOf: (name: string, texts: readonly string[]) => unknown): CallInputValues =>
  Object.fromEntries([...fields].map(([name, texts]) => [name, valueOf(name, texts)]));

function parseFieldWords(words: readonly string[]): FieldWords {
  const fields = new Map<string, string[]>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw new UsageError(`"${word}" must have the form name=value.`);
    const name = word.slice(0, at);
    fields.set(name, [...(fields.get(name) ?? []), word.slice(at + 1)]);
  }
  return fields;
}
