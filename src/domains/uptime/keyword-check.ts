import { TextDecoder } from 'node:util';
import type { PageResponse } from './page-request.ts';

export function hasKeyword(
  { body, contentType }: Pick<PageResponse, 'body' | 'contentType'>,
  keyword: string,
): boolean {
  return decoderForContentType(contentType).decode(body).includes(keyword);
}

function decoderForContentType(contentType: string): TextDecoder {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
