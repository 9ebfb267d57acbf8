import { Eta } from 'eta/core';
import { lookOf } from './mail-look.ts';
import { oneLine, paragraph, webAddressOrNull, type MailMessage, type MailBlockTone } from './mail-message.ts';
import type { MailContent } from './mail.ts';
import { HTML_MAIL_TEMPLATE } from './templates/html.ts';
import { TEXT_MAIL_TEMPLATE } from './templates/text.ts';

const COLORS: Record<MailBlockTone, string> = {
  bad: 'background-color:#fbe3e1;color:#8f1d14',
  warn: 'background-color:#fdf0d5;color:#7a4b00',
  good: 'background-color:#dff3e4;color:#17602f',
  info: 'background-color:#e1ecfb;color:#1b4a8f',
};

const LONGEST_SUBJECT = 200;
const ENGLISH = { tag: 'en', direction: 'ltr' } as const;

/** Renders mails as HTML and text. Texts from sites are escaped in HTML, and each is reduced to one line. */
export class MailRenderer {
  readonly #footer: string;
  readonly #html: (data: object) => string;
  readonly #text: (data: object) => string;

  constructor(publicUrl: string) {
    const { host } = new URL(publicUrl);
    this.#footer = `Sitefleet at ${host} sent this mail. The e-mail settings contain its recipients.`;
    const html = new Eta({ autoEscape: true });
    const text = new Eta({ autoEscape: false });
    const [asHtml, asText] = [html.compile(HTML_MAIL_TEMPLATE), text.compile(TEXT_MAIL_TEMPLATE)];
    this.#html = (data) => html.render(asHtml, data);
    this.#text = (data) => text.render(asText, data);
  }

  /** Replaces tokens in braces in the subject. A site name that looks like a token is not replaced. */
  render(letter: MailMessage, subject: string, tokens: Readonly<Record<string, string>>): MailContent {
    const cleaned = cleanMessage(letter);
    const footer = letter.footer === undefined ? this.#footer : oneLine(letter.footer ?? '');
    const data = { ...cleaned, footer, colors: COLORS, look: lookOf(letter.branding) };
    return {
      subject: [...oneLine(subject.replace(/\{(\w+)\}/g, (token, name: string) => tokens[name] ?? token))]
        .slice(0, LONGEST_SUBJECT)
        .join(''),
      html: this.#html(data),
      text: this.#text(data),
      links: cleaned.links,
    };
  }
}

const cleanMessage = (letter: MailMessage) => ({
  language: letter.language ?? ENGLISH,
  heading: oneLine(letter.heading),
  greeting: (letter.greeting ?? []).map(paragraph),
  intro: oneLine(letter.intro),
  sections: letter.sections.map(({ title, items, more }) => ({
    title: title && oneLine(title),
    more,
    items: items.map((item) => ({
      ...item,
      title: oneLine(item.title),
      address: item.address && oneLine(item.address),
      web: webAddressOrNull(item.address),
      facts: item.facts.map(({ label, value }) => ({ label, value: oneLine(value) })),
    })),
  })),
  note: oneLine(letter.note ?? ''),
  links: letter.links ?? [],
});
