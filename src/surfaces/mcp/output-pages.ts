import { jsonTexts } from '../../http/json-pieces.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import { escapeInTurns, toSafeJsonText } from './untrusted-data-marking.ts';

export interface OutputPage {
  text: string;
  /** False if the JSON text of the response was split, so that the page is a part of it. */
  isJson: boolean;
  /** Null if the page is the whole response. */
  range: string | null;
}

const BRACKETS = 16;

/**
 * Splits a response into pages of at most `most` characters. It is split between the items of its longest list, so that
 * every page is valid JSON. Without a suitable list, the text itself is split.
 */
export async function outputPagesOf(answer: unknown, most: number): Promise<OutputPage[]> {
  const text = await textUpTo(most, jsonTexts(answer));
  if (text.length <= most) return [{ text, isJson: true, range: null }];
  const whole = (): Promise<string> => textUpTo(Infinity, jsonTexts(answer));
  const list = await longestList(answer);
  if (list === null) return textPages(await whole(), most);
  const { name, items } = list;
  const rest = await textUpTo(most, jsonTexts(list.rest));
  const head = `${rest.slice(0, -1)}${rest === '{}' ? '' : ','}${toSafeJsonText(name)}:[`;
  const room = most - head.length - ']}'.length - BRACKETS;
  if (items.some((item) => item.length + 1 > room)) return textPages(await whole(), most);
  const pages: OutputPage[] = [];
  for (let from = 0, to = 0; from < items.length; from = to) {
    await endLongTurn();
    for (let used = 0; to < items.length; to++) {
      used += (items[to]?.length ?? 0) + 1;
      if (used > room) break;
    }
    const text = `${head}${items.slice(from, to).join(',')}]}`;
    pages.push({ text, isJson: true, range: `items ${from + 1} to ${to} of ${items.length} in ${name}` });
  }
  return pages;
}

/** Joins the parts of a JSON text. Stops when the text is longer than `most`. */
async function textUpTo(most: number, texts: Iterable<string>): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const part of escapeInTurns(texts)) {
    parts.push(part);
    length += part.length;
    if (length > most) break;
  }
  return parts.join('');
}

function textPages(whole: string, most: number): OutputPage[] {
  const pages: OutputPage[] = [];
  for (let from = 0; from < whole.length; from += most) {
    const text = whole.slice(from, from + most);
    const range = `characters ${from + 1} to ${from + text.length} of ${whole.length}; the JSON is incomplete`;
    pages.push({ text, isJson: false, range });
  }
  return pages;
}

interface LongestListWithRest {
  name: string;
  /** JSON texts of the items. */
  items: string[];
  rest: Record<string, unknown>;
}

async function longestList(answer: unknown): Promise<LongestListWithRest | null> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  let longest: { name: string; items: string[]; length: number } | null = null;
  for (const [name, list] of Object.entries(answer)) {
    if (!Array.isArray(list) || list.length === 0) continue;
    const items: string[] = [];
    for (const item of list as unknown[]) items.push(await textUpTo(Infinity, [JSON.stringify(item) ?? 'null']));
    const length = items.reduce((sum, item) => sum + item.length + 1, 0);
    if (longest === null || length > longest.length) longest = { name, items, length };
  }
  if (longest === null) return null;
  const { [longest.name]: _, ...rest } = answer as Record<string, unknown>;
  return { name: longest.name, items: longest.items, rest };
}
