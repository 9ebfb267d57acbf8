import type { GuardFileAnswer, GuardFileRestored } from '../child-site.ts';
import { asObject, readField, readNumber, readPlainText } from './json-values.ts';

const MAX_TEXT = 500;

export function decodeGuardFileAnswer(value: unknown, guardId: string): GuardFileAnswer | null {
  const answer = asObject(value);
  if (!answer || readField(answer, 'guard') !== guardId) return null;
  return {
    ok: readField(answer, 'ok') === true,
    armed: readField(answer, 'armed') === true,
    live: readField(answer, 'live') === true,
    restored: decodeRestored(readField(answer, 'restored')),
    now: readNumber(readField(answer, 'now')),
    error: textOf(readField(answer, 'error')),
  };
}

function decodeRestored(value: unknown): GuardFileRestored | null {
  const restored = asObject(value);
  if (!restored) return null;
  return {
    cause: readField(restored, 'cause') === 'fatal' ? 'fatal' : 'asked',
    at: Math.max(0, Math.trunc(readNumber(readField(restored, 'at')) ?? 0)),
    file: textOf(readField(restored, 'file')),
    line: readNumber(readField(restored, 'line')),
    message: textOf(readField(restored, 'message')),
  };
}

const textOf = (value: unknown): string | null => readPlainText(value, MAX_TEXT) || null;
