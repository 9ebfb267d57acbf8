/** How much an honest answer may hold. */
export interface AnswerSize {
  /** Of the body on the wire, base64 and noise included. */
  bytes: number;
  /** Members of objects and items of lists, on all levels. */
  values: number;
}

/**
 * Bytes do not bound the work: 24 MB of `{}` are eight million objects, which take seconds to make and gigabytes to
 * hold. A whole state of a site with 500 plugins and themes, their updates and 400 entries of its logs has 45,000
 * values in 1 MB.
 */
export const STATE_SIZE: AnswerSize = { bytes: 4 * 1024 * 1024, values: 100_000 };
/**
 * Lists of users, comments and posts grow with the site: 10,000 users are 100,000 values. A post is as large as its
 * text.
 */
export const LIST_SIZE: AnswerSize = { bytes: 32 * 1024 * 1024, values: 300_000 };

const MAX_DEPTH = 64;
/**
 * How many beginnings of objects, by the names of their members in order, there may be. To make an object of a shape
 * that was not there before costs as much as fifty values; honest records share theirs, and the maps among them have
 * keys for plugins, themes and entries of logs.
 */
const MAX_SHAPES = 20_000;

/** Measures JSON, piece by piece, before anything is built from it. */
export class JsonGauge {
  readonly #maxValues: number;
  #depth = 0;
  #values = 1;
  #inString = false;
  #escaped = false;
  /** Of the string that is being read, or was read last; before a colon it is a name. */
  #hash = 0;
  /** On each level, of the names that its object has so far. */
  readonly #shape = new Int32Array(MAX_DEPTH + 1);
  readonly #shapes = new Set<number>();

  constructor(maxValues: number) {
    this.#maxValues = maxValues;
  }

  /** What is wrong with it so far; null when nothing is. */
  add(json: Uint8Array): string | null {
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
        if (depth > MAX_DEPTH) return 'The frame is nested too deeply.';
        shape[depth] = 0;
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    [this.#depth, this.#values, this.#inString, this.#escaped, this.#hash] = [depth, values, inString, escaped, hash];
    if (this.#shapes.size > MAX_SHAPES) return 'The frame holds too many different objects.';
    return values > this.#maxValues ? 'The frame holds too many values.' : null;
  }
}

const BROKEN = 'The frame is not JSON.';
