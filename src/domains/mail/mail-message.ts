import { truncate } from '../../shared/text.ts';
import { parseUrl } from '../../shared/url.ts';

export interface MailLink {
  label: string;
  href: string;
}

export type MailBlockTone = 'bad' | 'warn' | 'good' | 'info';

export interface MailBodyBlock {
  tone: MailBlockTone;
  badge: string;
  title: string;
  address: string | null;
  facts: readonly { label: string; value: string }[];
}

export interface MailBodySection {
  title: string | null;
  items: readonly MailBodyBlock[];
  more: number;
}

/**
 * Look of an agency. Colors have the form `#rrggbb`; `accentColor` is that of links and badges. `logo` is a data URL,
 * or empty if there is no logo.
 */
export interface MailBranding {
  name: string;
  color: string;
  accentColor: string;
  logo: string;
}

export interface MailMessage {
  /** Language of the texts. Default: English. */
  language?: { tag: string; direction: 'ltr' | 'rtl' };
  /** Default: the look of this product. */
  branding?: MailBranding;
  heading: string;
  greeting?: readonly string[];
  intro: string;
  sections: readonly MailBodySection[];
  note?: string;
  /** Pages that the reader can open without a login. Mails to staff have none. */
  links?: readonly MailLink[];
  /** Tells recipients who do not know the service about the sender. Default: the standard footer; null for no text. */
  footer?: string | null;
}

const LONGEST = 300;
const LONGEST_PARAGRAPH = 2000;

/** Returns a text as one line. A line break would let a site add lines of its own to a mail. */
export const oneLine = (text: string, longest = LONGEST): string =>
  truncate(
    text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    longest,
  );

export const paragraph = (text: string): string => oneLine(text, LONGEST_PARAGRAPH);

export const webAddressOrNull = (address: string | null): string | null =>
  address !== null && /^https?:$/.test(parseUrl(address)?.protocol ?? '') ? address : null;

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
