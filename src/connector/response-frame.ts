import { nextEventLoopTurn } from '../shared/event-loop.ts';
import { JsonLimitChecker, LIST_RESPONSE_LIMITS } from './json-limit-checker.ts';

export type FrameResult =
  | { kind: 'value'; value: unknown }
  | { kind: 'known' }
  | { kind: 'damaged'; problem: string }
  | { kind: 'none' };

export interface FrameOptions {
  maxValues?: number;
  /** Called with the JSON text. If it returns true, the text is not parsed, and the result is `known`. */
  isKnown?: ((json: string) => boolean) | undefined;
}

const OPEN = '<mainwp>';
const CLOSE = '</mainwp>';
const NOT_BASE64 = 'The frame is not base64.';
/** Other output may contain the tags of a frame. Only this number of candidates is tried. */
const MAX_CANDIDATES = 16;
const MAX_JSON_BYTES = 24 * 1024 * 1024;
/** Number of base64 characters decoded per event loop turn, about two milliseconds of work. A multiple of four. */
const PIECE = 1024 * 1024;
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Finds and decodes `<mainwp>base64(JSON)</mainwp>` (protocol 1.5). Other output precedes the frame, so the last frame
 * with valid base64 counts, and it is decoded strictly. Responses of many sites arrive at once, and hostile ones may be
 * as large as allowed. Each is decoded in pieces, so that others can be processed in between.
 */
export async function readFrame(
  body: Buffer,
  { maxValues = LIST_RESPONSE_LIMITS.values, isKnown }: FrameOptions = {},
): Promise<FrameResult> {
  await nextEventLoopTurn();
  let end = body.length;
  let damaged: FrameResult | null = null;
  for (let tries = 0; tries < MAX_CANDIDATES; tries += 1) {
    const close = end < 0 ? -1 : body.lastIndexOf(CLOSE, end);
    const open = close < 0 ? -1 : body.lastIndexOf(OPEN, close);
    if (open < 0) break;
    const bytes = await decodeBase64InPieces(body, open + OPEN.length, close, maxValues);
    if (typeof bytes !== 'string') return parseFrameJson(bytes, isKnown);
    damaged = { kind: 'damaged', problem: bytes };
    if (bytes !== NOT_BASE64) break;
    end = open - 1;
  }
  return damaged ?? { kind: 'none' };
}

export function decodeEmbeddedJson(base64: string): unknown {
  const bytes = base64.length % 4 === 0 ? decodeStrictBase64(base64) : null;
  if (
    !bytes ||
    bytes.length > MAX_JSON_BYTES ||
    new JsonLimitChecker(LIST_RESPONSE_LIMITS.values, bytes.length).add(bytes) !== null
  )
    return undefined;
  const read = parseFrameJson(bytes);
  return read.kind === 'value' ? read.value : undefined;
}

async function decodeBase64InPieces(
  body: Buffer,
  start: number,
  end: number,
  maxValues: number,
): Promise<Buffer | string> {
  if (end === start || (end - start) % 4 !== 0) return NOT_BASE64;
  const length = ((end - start) / 4) * 3;
  if (length > MAX_JSON_BYTES + 2) return 'The frame is too large.';
  const gauge = new JsonLimitChecker(maxValues, length);
  const pieces: Buffer[] = [];
  for (let at = start; at < end; at += PIECE) {
    if (at > start) await nextEventLoopTurn();
    const text = body.toString('latin1', at, Math.min(at + PIECE, end));
    const piece = decodeStrictBase64(text);
    if (!piece || (text.endsWith('=') && at + PIECE < end)) return NOT_BASE64;
    const problem = gauge.add(piece);
    if (problem !== null) return problem;
    pieces.push(piece);
  }
  if (pieces.length === 1) return pieces[0] as Buffer;
  await nextEventLoopTurn();
  return Buffer.concat(pieces);
}

/**
 * Returns null if the text is not base64, or not padded to a multiple of four. Node skips other characters and stops at
 * the first padding, so a text with either gives fewer bytes. Node also accepts `-` and `_` of the URL alphabet, so
 * these are checked separately. A regular expression takes twice as long as the decoding.
 */
export function decodeStrictBase64(text: string): Buffer | null {
  if (text.includes('-') || text.includes('_')) return null;
  const bytes = Buffer.from(text, 'base64');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : null;
}

function parseFrameJson(bytes: Buffer, isKnown?: (json: string) => boolean): FrameResult {
  try {
    const json = STRICT_UTF8.decode(bytes);
    if (isKnown?.(json)) return { kind: 'known' };
    return { kind: 'value', value: JSON.parse(json) as unknown };
  } catch {
    return { kind: 'damaged', problem: 'The frame is not JSON.' };
  }
}
