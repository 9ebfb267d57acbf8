import { Readable } from 'node:stream';
import type { HandlerResponse } from '../../http/operation-types.ts';

/** Maximum size of a file that is read as a resource, and of a streamed answer. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface OutputFile {
  type: string;
  bytes: Buffer;
  /** Null if the response names none. */
  name: string | null;
}

export type ResponseContent =
  | { kind: 'value'; value: unknown }
  | { kind: 'file'; file: OutputFile }
  | { kind: 'tooLarge' };

/** Reads the body of a response. A stream of JSON becomes its value; every other stream is a file. */
export async function readContent({ body, contentType = '', headers }: HandlerResponse): Promise<ResponseContent> {
  if (!(body instanceof Readable)) return { kind: 'value', value: body ?? null };
  const bytes = await readAtMost(body, MAX_FILE_BYTES);
  if (bytes === null) return { kind: 'tooLarge' };
  if (contentType === 'application/json') return { kind: 'value', value: JSON.parse(bytes.toString('utf8')) };
  const name = /filename="([^"]+)"/.exec(headers?.['Content-Disposition'] ?? '')?.[1] ?? null;
  return { kind: 'file', file: { type: contentType, bytes, name } };
}

/** Returns null if the stream has more than `most` bytes, and then stops reading it. */
async function readAtMost(stream: Readable, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<string | Buffer>) {
    const bytes = Buffer.from(chunk as string);
    length += bytes.length;
    if (length > most) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
