import { Readable } from 'node:stream';
import type { HandlerResponse } from '../../http/operation-types.ts';

export const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface OutputFile {
  type: string;
  bytes: Buffer;
  name: string | null;
}

export type ResponseContent =
  | { kind: 'value'; value: unknown }
  | { kind: 'file'; file: OutputFile }
  | { kind: 'tooLarge' };

export async function readContent({ body, contentType = '', headers }: HandlerResponse): Promise<ResponseContent> {
  if (!(body instanceof Readable)) return { kind: 'value', value: body ?? null };
  const bytes = await readAtMost(body, MAX_FILE_BYTES);
  if (bytes === null) return { kind: 'tooLarge' };
  if (contentType === 'application/json') return { kind: 'value', value: JSON.parse(bytes.toString('utf8')) };
  const name = /filename="([^"]+)"/.exec(headers?.['Content-Disposition'] ?? '')?.[1] ?? null;
  return { kind: 'file', file: { type: contentType, bytes, name } };
}

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
