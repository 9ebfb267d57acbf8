import { TextDecoder } from 'node:util';
import type { VisitAnswer } from './visit.ts';

/** Whether a page has a text, letter by letter, in the encoding that the page says it has. */
export function hasKeyword({ body, contentType }: Pick<VisitAnswer, 'body' | 'contentType'>, keyword: string): boolean {
  return decoder(contentType).decode(body).includes(keyword);
}

function decoder(contentType: string): TextDecoder {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch {
    // A name that nobody knows.
    return new TextDecoder();
  }
}
