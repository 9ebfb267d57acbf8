import { toSafeJsonText } from './untrusted-data-marking.ts';

export interface OutputChunk {
  text: string;
  /** JSON value of the page. A text if the response could not be split between the items of a list. */
  value: unknown;
  /** Start of the next page, as the number of an item or of a character; null on the last page. */
  next: number | null;
  /** Null if the page is the whole response. */
  range: string | null;
}

const BRACKETS = 16;

/**
 * Returns a page that starts at the item or character `from` and has at most `most` characters. The response is split
 * between the items of its longest list, so that every page is valid JSON. Without a list, or if an item is too long
 * for a page, the text itself is split.
 */
export function outputChunkAt(answer: unknown, from: number, most: number): OutputChunk {
  const whole = toSafeJsonText(answer);
  if (from === 0 && whole.length <= most) return { text: whole, value: answer, next: null, range: null };
  const list = longestList(answer);
  const items = list?.items.map(toSafeJsonText) ?? [];
  const rest = list === null ? Infinity : toSafeJsonText({ ...list.rest, [list.name]: [] }).length + BRACKETS;
  const room = most - rest;
  if (list === null || items.some((item) => item.length + 1 > room)) return textPage(whole, from, most);
  let to = from;
  for (let used = 0; to < items.length; to++) {
    used += (items[to]?.length ?? 0) + 1;
    if (used > room) break;
  }
  const value = { ...list.rest, [list.name]: list.items.slice(from, to) };
  return {
    text: toSafeJsonText(value),
    value,
    next: to < items.length ? to : null,
    range: `items ${from + 1} to ${to} of ${items.length} in ${list.name}`,
  };
}

function textPage(whole: string, from: number, most: number): OutputChunk {
  const to = Math.min(whole.length, from + most);
  const text = whole.slice(from, to);
  return {
    text,
    value: text,
    next: to < whole.length ? to : null,
    range: `characters ${from + 1} to ${to} of ${whole.length}; the JSON is incomplete`,
  };
}

interface LongestListWithRest {
  name: string;
  items: unknown[];
  rest: Record<string, unknown>;
}

function longestList(answer: unknown): LongestListWithRest | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  const lists = Object.entries(answer).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const [longest] = lists
    .map(([name, items]) => ({ name, items, length: toSafeJsonText(items).length }))
    .sort((left, right) => right.length - left.length);
  if (!longest || longest.items.length === 0) return null;
  const { [longest.name]: _, ...rest } = answer as Record<string, unknown>;
  return { name: longest.name, items: longest.items, rest };
}
