import { cut } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';
import type { MailLink } from './mail.ts';

export type Tone = 'bad' | 'warn' | 'good' | 'info';

/** One thing that a mail tells of. */
export interface LetterItem {
  tone: Tone;
  /** In one or two words. */
  badge: string;
  title: string;
  /** Where it is; null for what has no address. */
  address: string | null;
  facts: readonly { label: string; value: string }[];
  links: readonly MailLink[];
}

export interface LetterSection {
  /** Null where the heading says it. */
  title: string | null;
  items: readonly LetterItem[];
  /** How many more there are than are listed. */
  more: number;
}

/** What a mail says, before it is put into HTML and into plain text. */
export interface Letter {
  heading: string;
  intro: string;
  sections: readonly LetterSection[];
  /** Below all that; none, unless given. */
  note?: string;
  /** At its end. */
  links: readonly MailLink[];
  /** Who sends it, for people who do not know us; null for a line that says nothing but so. */
  footer?: string | null;
}

const LONGEST = 300;

/** A text of a site as one line: a line break in it would make lines of its own in a mail. */
export const oneLine = (text: string): string =>
  cut(
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    LONGEST,
  );

/** The address where it may be a link: nothing but the web is linked to. */
export const webAddress = (address: string | null): string | null =>
  address !== null && /^https?:$/.test(parseUrl(address)?.protocol ?? '') ? address : null;

/** All that a letter leads to, each address once. */
export function linksOf({ sections, links }: Letter): MailLink[] {
  const all = [...sections.flatMap(({ items }) => items.flatMap((item) => item.links)), ...links];
  return [...new Map(all.map((link) => [link.href, link])).values()];
}

/** `2 d 3 h`, `4 min 10 s` */
export function durationInWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const words = units.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return words.slice(0, 2).join(' ') || '0 s';
}
