export interface ResponseLimits {
  /** Number of bytes received, including base64 and output outside the frame. */
  bytes: number;
  /** Number of object members and list items on all levels. */
  values: number;
}

/**
 * Limits for the state of a site. A limit of bytes does not limit the work: 24 MB of `{}` are eight million objects,
 * which take seconds to create and gigabytes to store. The full state of a site with 500 plugins and themes, their
 * updates and 400 log entries has 45,000 values in 1 MB.
 */
export const STATE_RESPONSE_LIMITS: ResponseLimits = { bytes: 4 * 1024 * 1024, values: 100_000 };
/**
 * Limits for lists of users, comments and posts, which grow with the site: 10,000 users are 100,000 values. A post is
 * as large as its text.
 */
export const LIST_RESPONSE_LIMITS: ResponseLimits = { bytes: 32 * 1024 * 1024, values: 300_000 };

const MAX_DEPTH = 64;
/**
 * Maximum number of object shapes. A shape is a sequence of member names, and each prefix counts too: `{a, b}` has two.
 * An object of a new shape costs as much memory as fifty values. Real sites stay far below: their records share shapes,
 * and their maps have one key per plugin, theme or log entry.
 */
const MAX_SHAPES = 20_000;
/** Bytes of the shortest object member, `"":0`. */
const BYTES_A_MEMBER = 4;

export class JsonLimitChecker {
  readonly #maxValues: number;
  readonly #isShort: boolean;
  #depth = 0;
  #values = 1;
  #inString = false;
  #escaped = false;
  /** Hash of the current or last string. If a colon follows, the string is a name. */
  #hash = 0;
  /** Hash of the names that the object on each level has so far. */
  readonly #shape = new Int32Array(MAX_DEPTH + 1);
  readonly #shapes = new Set<number>();

  /** `bytes` is the length of the whole text. A short text has too few bytes for too many values or shapes. */
  constructor(maxValues: number, bytes: number) {
    this.#maxValues = maxValues;
    this.#isShort = bytes <= Math.min(maxValues, MAX_SHAPES * BYTES_A_MEMBER);
  }

  /** A text may be added in pieces, unless it is short. */
  add(json: Uint8Array): string | null {
    if (this.#isShort) return isNestedTooDeeply(json) ? TOO_DEEP : null;
    const shape = this.#shape;
    let [depth, values, inString, escaped, hash] = [
      this.#depth,
      this.#values,
      this.#inString,
      this.#escaped,
      this.#hash,
    ];
    for (let index = 0; index < json.length; index += 1) {
      const byte = json[index] as number;
      if (inString) {
        hash = (Math.imul(hash, 31) + byte) | 0;
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === 0x22) inString = false;
      } else if (byte === 0x22) {
        inString = true;
        hash = 0;
      } else if (byte === 0x3a) {
        if (depth < 0) return BROKEN;
        const longer = (Math.imul(shape[depth] as number, 0x01000193) + hash + 1) | 0;
        shape[depth] = longer;
        this.#shapes.add(longer);
      } else if (byte === 0x2c) values += 1;
      else if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return TOO_DEEP;
        shape[depth] = 0;
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    [this.#depth, this.#values, this.#inString, this.#escaped, this.#hash] = [depth, values, inString, escaped, hash];
    if (this.#shapes.size > MAX_SHAPES) return 'The frame contains too many different objects.';
    return values > this.#maxValues ? 'The frame contains too many values.' : null;
  }
}

function isNestedTooDeeply(json: Uint8Array): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === 0x22) {
      for (index += 1; index < json.length && json[index] !== 0x22; index += 1) if (json[index] === 0x5c) index += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}

const BROKEN = 'The frame is not JSON.';
const TOO_DEEP = 'The frame is nested too deeply.';
