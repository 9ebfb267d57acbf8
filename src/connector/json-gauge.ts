/** How much an honest answer may hold. */
export interface AnswerSize {
  /** Of the body on the wire, base64 and noise included. */
  bytes: number;
  /** Members of objects and items of lists, on all levels. */
  values: number;
}

/**
 * Bytes do not bound the work: 24 MB of `{}` are eight million objects, which take seconds to make and gigabytes to hold. A
 * whole state of a site with 500 plugins and themes, their updates and 400 entries of its logs has 45,000 values in 1 MB.
 */
export const STATE_SIZE: AnswerSize = { bytes: 8 * 1024 * 1024, values: 100_000 };
/** Lists of users, comments and posts grow with the site: 20,000 users are 420,000 values. A post is as large as its text. */
export const LIST_SIZE: AnswerSize = { bytes: 32 * 1024 * 1024, values: 500_000 };

const MAX_DEPTH = 64;

/** Measures JSON, piece by piece, before anything is built from it. */
export class JsonGauge {
  readonly #maxValues: number;
  #depth = 0;
  #values = 1;
  #inString = false;
  #escaped = false;

  constructor(maxValues: number) {
    this.#maxValues = maxValues;
  }

  /** What is wrong with it so far; null when nothing is. */
  add(json: Uint8Array): string | null {
    let [depth, values, inString, escaped] = [this.#depth, this.#values, this.#inString, this.#escaped];
    for (let index = 0; index < json.length; index += 1) {
      const byte = json[index];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === 0x5c) escaped = true;
        else if (byte === 0x22) inString = false;
      } else if (byte === 0x22) inString = true;
      else if (byte === 0x2c) values += 1;
      else if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return 'The frame is nested too deeply.';
      } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    [this.#depth, this.#values, this.#inString, this.#escaped] = [depth, values, inString, escaped];
    return values > this.#maxValues ? 'The frame holds too many values.' : null;
  }
}
