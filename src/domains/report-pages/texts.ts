import { truncate } from '../../shared/text.ts';

const LONGEST = 400;

/** Returns one line without invisible characters and without characters that change the direction of the text. */
export function cleanText(text: string, longest = LONGEST): string {
  const line = text
    .replace(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = truncate(line, longest);
  return short === line ? line : `${short}…`;
}

export const capitalized = (text: string): string => {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
};

export const readableWord = (word: string): string => capitalized(cleanText(word.replaceAll('_', ' ')));
