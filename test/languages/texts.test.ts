import assert from 'node:assert/strict';
import { IntlMessageFormat } from 'intl-messageformat';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGE_TEXTS, languageOf } from '../../src/languages/index.ts';
import { ROOT, readFiles } from '../support/imports.ts';

type Texts = Readonly<Record<string, string>>;
/** Part of a message: text, `#`, or a parameter, which can have options that are messages too. */
interface Node {
  type: number;
  value?: unknown;
  options?: Readonly<Record<string, { value: Node[] }>>;
}

const PARSED = { ignoreTag: true };
/** Type of text and type of `#` in a parsed message. */
const [TEXT, NUMBER_SIGN] = [0, 7];

/** Returns the names of the parameters of a message. */
function parametersOf(text: string, tag: string): string {
  const namesIn = (nodes: readonly Node[]): string[] =>
    nodes.flatMap((node) => [
      ...(typeof node.value === 'string' && node.type !== TEXT && node.type !== NUMBER_SIGN ? [node.value] : []),
      ...Object.values(node.options ?? {}).flatMap((option) => namesIn(option.value)),
    ]);
  const message = new IntlMessageFormat(text, tag, undefined, PARSED);
  return [...new Set(namesIn(message.getAst()))].sort().join(', ');
}

/** Returns the keys of a language that differ from those of English. */
function differencesOf(tag: string, texts: Texts, reference: Texts): string[] {
  const missing = Object.keys(reference).filter((key) => !Object.hasOwn(texts, key));
  const superfluous = Object.keys(texts).filter((key) => !Object.hasOwn(reference, key));
  const different = Object.keys(reference).filter(
    (key) =>
      Object.hasOwn(texts, key) && parametersOf(texts[key] ?? '', tag) !== parametersOf(reference[key] ?? '', 'en'),
  );
  return [
    ...missing.map((key) => `${tag}: ${key} is missing`),
    ...superfluous.map((key) => `${tag}: ${key} is superfluous`),
    ...different.map((key) => `${tag}: ${key} has other parameters`),
  ];
}

const english = LANGUAGE_TEXTS['en'] as Texts;

describe('languages', () => {
  it('when a language is compared with English, then it has the same texts with the same parameters', () => {
    for (const [tag, texts] of Object.entries(LANGUAGE_TEXTS))
      assert.deepEqual(differencesOf(tag, texts, english), [], tag);
  });

  it('when a text is missing, superfluous or has other parameters, then the comparison names it', () => {
    const { 'list.more': more, 'value.yes': _, ...rest } = LANGUAGE_TEXTS['de'] as Texts;
    const planted = { ...rest, 'list.more': String(more).replace('count', 'anzahl'), 'list.fewer': 'weniger' };
    assert.deepEqual(differencesOf('de', planted, english), [
      'de: value.yes is missing',
      'de: list.fewer is superfluous',
      'de: list.more has other parameters',
    ]);
  });

  it('when there is a file of a language, then it is in the list of languages', () => {
    const files = readdirSync(join(ROOT, 'src/languages')).map((name) => name.replace(/\.ts$/, ''));
    const tags = files.filter((name) => name !== 'index' && name !== 'language').sort();
    assert.deepEqual(Object.keys(LANGUAGE_TEXTS).sort(), tags);
  });

  it('when a text is in English, then the source uses it', () => {
    const source = [...readFiles('src')]
      .filter(([file]) => !/^src\/languages\/(en|de)\.ts$/.test(file))
      .map(([, text]) => text)
      .join('\n');
    // Some keys are made of data, such as `topic.${segment}`. The variants of a sentence are joined from their parts.
    const composed = [...source.matchAll(/`([a-z_.]+\.)\$\{/g)].map(([, start]) => start ?? '');
    const isComposed = (key: string): boolean => [...composed, 'lead.online.'].some((start) => key.startsWith(start));
    const unused = Object.keys(english).filter((key) => !isComposed(key) && !source.includes(`'${key}'`));
    assert.deepEqual(unused, []);
  });

  it('when a number is 0, 1, 2 or 5, then the plural is right', () => {
    const inLanguage = (tag: string): string[] =>
      [0, 1, 2, 5].map((count) => languageOf(tag).text('lead.updates', { count }));
    assert.deepEqual(inLanguage('en'), [
      'no updates were installed',
      '1 update was installed',
      '2 updates were installed',
      '5 updates were installed',
    ]);
    assert.deepEqual(inLanguage('de'), [
      'es wurden keine Updates installiert',
      '1 Update wurde installiert',
      '2 Updates wurden installiert',
      '5 Updates wurden installiert',
    ]);
  });

  it('when days, numbers and durations are written, then they have the form of the language', () => {
    const at = Date.UTC(2026, 10, 24, 14, 5);
    const written = (tag: string): string[] => {
      const language = languageOf(tag);
      const [first, last] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 15)];
      return [
        language.date(at),
        language.time(at),
        language.dayRange(first, last),
        language.month(at),
        language.number(1234.5, 1),
        language.percent(99.983, 3),
        language.duration(200),
        language.duration(0.4),
        language.list(['A', 'B', 'C']),
      ].map((text) => text.replace(/[\u00a0\u202f\u2009]/g, ' '));
    };
    assert.deepEqual(written('en'), [
      'November 24, 2026',
      '2:05 PM',
      'November 1 – 15, 2026',
      'November 2026',
      '1,234.5',
      '99.983%',
      '3 hours 20 minutes',
      'less than 1 minute',
      'A, B, and C',
    ]);
    assert.deepEqual(written('de'), [
      '24. November 2026',
      '14:05',
      '1.–15. November 2026',
      'November 2026',
      '1.234,5',
      '99,983 %',
      '3 Stunden 20 Minuten',
      'weniger als 1 Minute',
      'A, B und C',
    ]);
  });

  it('when a language is not known, then English is used', () => {
    assert.equal(languageOf('xx').text('value.yes'), 'yes');
  });
});
