/**
 * A version as a list of parts that compare like those of PHP's `version_compare`. A number stands for itself. A word
 * is a rank below 0, except `p` (patch level), which is above all numbers.
 */
export type VersionParts = readonly (number | bigint)[];

/** Beginnings of words with their ranks, in the order in which PHP tries them. */
const WORDS: readonly (readonly [beginning: string, rank: number])[] = [
  ['dev', -4],
  ['alpha', -3],
  ['a', -3],
  ['beta', -2],
  ['b', -2],
  ['RC', -1],
  ['rc', -1],
  ['p', Infinity],
];
const UNKNOWN_WORD = -5;
/** Rank of the end of a version: above the words for pre-releases, below every number. */
const END = -0.5;
/** Largest integer of PHP. Larger numbers count as this one. */
const MAX_NUMBER = 2n ** 63n - 1n;
/** Maximum number of digits that always make a safe integer of JavaScript. */
const SAFE_DIGITS = 15;

/** Compares like PHP's `version_compare`. `end` is the rank of a missing part; PHP's own is the default. */
export function compareVersionParts(one: VersionParts, other: VersionParts, end = END): -1 | 0 | 1 {
  for (let at = 0; at < one.length || at < other.length; at++) {
    const [left, right] = [one[at] ?? end, other[at] ?? end];
    if (left < right) return -1;
    if (left > right) return 1;
  }
  return 0;
}

/**
 * An empty version is below every other one. The text is split as bytes, because PHP takes no byte outside ASCII for a
 * letter.
 */
export function parseVersionParts(version: string): VersionParts {
  if (version === '') return [-Infinity];
  return separateVersionParts(Buffer.from(version).toString('latin1')).split('.').map(versionPartRank);
}

function versionPartRank(part: string): number | bigint {
  if (!/^\d/.test(part)) return WORDS.find(([beginning]) => part.startsWith(beginning))?.[1] ?? UNKNOWN_WORD;
  if (part.length <= SAFE_DIGITS) return Number(part);
  const number = BigInt(part);
  return number > MAX_NUMBER ? MAX_NUMBER : number;
}

const isDigit = (sign: string): boolean => sign >= '0' && sign <= '9';
const isLetter = (sign: string): boolean => /^[A-Za-z]$/.test(sign);
const isDash = (sign: string): boolean => sign === '-' || sign === '_' || sign === '+';

/** Puts a dot between numbers and words, and in place of other signs, as PHP does. */
function separateVersionParts(version: string): string {
  let parts = version.charAt(0);
  for (let at = 1; at < version.length; at++) {
    const [before, sign] = [version.charAt(at - 1), version.charAt(at)];
    const beginsNumber = isDigit(sign) && !isDigit(before) && before !== '.';
    const endsNumber = isDigit(before) && !isDigit(sign) && sign !== '.' && !isDash(sign);
    const isKept = isDigit(sign) || isLetter(sign) || endsNumber;
    if ((beginsNumber || endsNumber || !isKept) && !parts.endsWith('.')) parts += '.';
    if (isKept) parts += sign;
  }
  // A dot at the end is removed: PHP's comparison would find such a version lower than itself.
  return parts.length > 1 && parts.endsWith('.') ? parts.slice(0, -1) : parts;
}
