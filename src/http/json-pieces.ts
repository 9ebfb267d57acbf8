import { endLongTurn } from '../shared/event-loop.ts';

/** Lists and maps with at most this number of entries are converted in one step, because that is faster. */
const SHORT = 50;
/** The long list of a response is at most this many levels below the body. */
const LEVELS = 3;
const PIECE = 32 * 1024;

export function hasLongList(body: unknown, levels = LEVELS): boolean {
  if (Array.isArray(body)) return body.length > SHORT;
  if (levels === 0 || !isRecord(body)) return false;
  const values = Object.values(body);
  return values.length > SHORT || values.some((value) => hasLongList(value, levels - 1));
}

/** Returns the bytes of `JSON.stringify(body)` in pieces. Other callbacks run in between if this takes long. */
export async function jsonPieces(body: unknown): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of jsonTexts(body)) {
    text += part;
    if (text.length >= PIECE) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    await endLongTurn();
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/** Returns the text of `JSON.stringify(body)`. If the body has a long list, the text is in parts, such as an item. */
export const jsonTexts = (body: unknown): Iterable<string> =>
  hasLongList(body) ? textsOf(body, LEVELS) : [JSON.stringify(body ?? null)];

function* textsOf(value: unknown, levels: number): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield `${index === 0 ? '[' : ','}${JSON.stringify(item) ?? 'null'}`;
    yield value.length === 0 ? '[]' : ']';
  } else if (levels > 0 && isRecord(value)) {
    let opening = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      yield `${opening}${JSON.stringify(name)}:`;
      yield* textsOf(field, levels - 1);
      opening = ',';
    }
    yield opening === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON !== 'function';
