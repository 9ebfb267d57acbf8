import { truncate } from '../../shared/text.ts';
import type { Formats } from '../settings/index.ts';

const LONGEST = 400;

/** Returns one line without invisible characters and without characters that change the direction of the text. */
export function cleanText(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = truncate(line, LONGEST);
  return short === line ? line : `${short}…`;
}

export function fieldNameToLabel(name: string): string {
  const words = cleanText(name.replaceAll('_', ' '));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const countWithNoun = (formats: Formats, count: number, one: string, many = `${one}s`): string =>
  `${formats.number(count)} ${count === 1 ? one : many}`;

export function minutesText(formats: Formats, minutes: number): string {
  if (minutes < 1) return minutes === 0 ? '0\u00a0min' : 'less than 1\u00a0min';
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  if (hours === 0) return `${rest}\u00a0min`;
  return rest === 0 ? `${formats.number(hours)}\u00a0h` : `${formats.number(hours)}\u00a0h ${rest}\u00a0min`;
}
