/** What a body holds: the last frame, decoded; a frame that is damaged; or none at all. */
export type Framed = { kind: 'value'; value: unknown } | { kind: 'damaged'; problem: string } | { kind: 'none' };

const OPEN = '<mainwp>';
const CLOSE = '</mainwp>';
const STRICT_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Noise may hold the words of a frame; after so many candidates nothing sensible follows. */
const MAX_CANDIDATES = 16;
const MAX_JSON_BYTES = 24 * 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * Finds `<mainwp>base64(JSON)</mainwp>` (protocol 1.5). Noise comes before the frame, so the last one that keeps to the
 * alphabet is taken, and it is decoded strictly: bytes that are merely similar to an answer are no answer.
 */
export function readFrame(body: Buffer): Framed {
  let end = body.length;
  let damaged = false;
  for (let tries = 0; tries < MAX_CANDIDATES; tries += 1) {
    const close = end < 0 ? -1 : body.lastIndexOf(CLOSE, end);
    const open = close < 0 ? -1 : body.lastIndexOf(OPEN, close);
    if (open < 0) break;
    const text = body.toString('latin1', open + OPEN.length, close);
    if (text.length > 0 && text.length % 4 === 0 && STRICT_BASE64.test(text)) return decode(text);
    damaged = true;
    end = open - 1;
  }
  return damaged ? { kind: 'damaged', problem: 'The frame is not base64.' } : { kind: 'none' };
}

/** JSON that lies in base64 inside an answer, read as strictly as the answer itself; undefined when it is not that. */
export function readEmbedded(base64: string): unknown {
  if (base64.length % 4 !== 0 || !STRICT_BASE64.test(base64)) return undefined;
  const read = decode(base64);
  return read.kind === 'value' ? read.value : undefined;
}

function decode(base64: string): Framed {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_JSON_BYTES) return { kind: 'damaged', problem: 'The frame is too large.' };
  if (isTooDeep(bytes)) return { kind: 'damaged', problem: 'The frame is nested too deeply.' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'value', value: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'damaged', problem: 'The frame is not JSON.' };
  }
}

/** Counts brackets outside of strings, before anything is built from them. */
function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (inString) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}
