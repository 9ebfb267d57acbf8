import type { Schema } from '../../contract/index.ts';

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];

export interface LimitChange {
  keyword: string;
  before: unknown;
  after: unknown;
  narrower: boolean;
}

export function compareLimits(before: Schema, after: Schema): LimitChange[] {
  const changed = [...UPPER, ...LOWER, 'uniqueItems', 'multipleOf'].filter((key) => before[key] !== after[key]);
  return changed.map((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    return { keyword, before: old, after: now, narrower: isNarrower(keyword, old, now) };
  });
}

function isNarrower(keyword: string, before: unknown, after: unknown): boolean {
  if (after === undefined || after === false) return false;
  if (before === undefined || before === false) return true;
  if (UPPER.includes(keyword)) return Number(after) < Number(before);
  if (LOWER.includes(keyword)) return Number(after) > Number(before);
  // `multipleOf`: a change from 4 to 2 is not narrower, because every multiple of 4 is also a multiple of 2.
  return Number(before) % Number(after) !== 0;
}
