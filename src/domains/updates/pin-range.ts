import { beginsWithVersion, compareVersions, isKnownVersion } from '../vulnerabilities/index.ts';

/**
 * `is`: exactly this version. `begins`: versions that begin with the parts of this one. `below`: lower versions.
 * `upTo`: this version and lower ones.
 */
type PinRange = { kind: 'is' | 'begins' | 'below' | 'upTo'; version: string };

const SYNTAX = /^(<=?)?\s*([vV]?\d(?:[\w.+~-]*?\w)??)(\.[xX*])?$/;
const INNER_WILDCARD = /[._+~-]x(?![a-z\d])/i;
export const MAX_PIN_RANGE = 64;

function parsePinRange(text: string): PinRange | null {
  const [, bound, version, wildcard] = SYNTAX.exec(text.trim()) ?? [];
  if (version === undefined || (bound !== undefined && wildcard !== undefined)) return null;
  if (INNER_WILDCARD.test(version)) return null;
  if (wildcard !== undefined) return { kind: 'begins', version };
  return { kind: bound === undefined ? 'is' : bound === '<' ? 'below' : 'upTo', version };
}

/** Returns the range without spaces and with `.x` as wildcard, such as `<=2.4` or `2.4.x`. Null if it is no range. */
export function normalizePinRange(text: string): string | null {
  const range = text.length > MAX_PIN_RANGE ? null : parsePinRange(text);
  if (!range) return null;
  const { kind, version } = range;
  return `${BOUNDS[kind]}${version}${kind === 'begins' ? '.x' : ''}`;
}

const BOUNDS = { is: '', begins: '', below: '<', upTo: '<=' } as const;

export function isInPinRange(text: string, version: string): boolean {
  const range = parsePinRange(text);
  if (!range || !isKnownVersion(version)) return false;
  if (range.kind === 'begins') return beginsWithVersion(version, range.version);
  const order = compareVersions(version, range.version);
  return order === 0 ? range.kind !== 'below' : order < 0 && range.kind !== 'is';
}
