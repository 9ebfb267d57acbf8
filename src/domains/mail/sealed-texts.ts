import type { Sealing } from '../../db/sealing.ts';
import type { SecretTexts } from './mail.ts';

const placeOf = (mailId: number): string => `mails.sealed_texts:${mailId}`;

export const sealTexts = (sealing: Sealing, mailId: number, texts: SecretTexts): string =>
  sealing.seal(JSON.stringify(texts), placeOf(mailId));

export function secretTextFiller(sealing: Sealing, mailId: number, sealed: string | null): (text: string) => string {
  if (sealed === null) return (text) => text;
  const texts = Object.entries(JSON.parse(sealing.open(sealed, placeOf(mailId))) as SecretTexts);
  return (text) => texts.reduce((filled, [placeholder, secret]) => filled.replaceAll(placeholder, () => secret), text);
}
