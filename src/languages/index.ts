import { de } from './de.ts';
import { en } from './en.ts';
import { Language, type LanguageTexts } from './language.ts';

export { Language, type LanguageTexts, type TextDirection, type TextKey, type TextValues } from './language.ts';

export const DEFAULT_LANGUAGE = 'en';

export const LANGUAGE_TEXTS: Readonly<Record<string, LanguageTexts>> = { de, en };

export const LANGUAGE_TAGS: readonly string[] = Object.keys(LANGUAGE_TEXTS);

export const isLanguageTag = (tag: string): boolean => Object.hasOwn(LANGUAGE_TEXTS, tag);

const languages = new Map<string, Language>();

export function languageOf(tag: string): Language {
  const known = isLanguageTag(tag) ? tag : DEFAULT_LANGUAGE;
  const language = languages.get(known) ?? new Language(known, LANGUAGE_TEXTS[known] ?? en);
  languages.set(known, language);
  return language;
}
