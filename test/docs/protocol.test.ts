import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, ROOT } from '../support/imports.ts';

const PAGE = 'docs/protocol.md';
const SECTION = String.raw`\d+(?:\.\d+)*`;
const NAMED = new RegExp(String.raw`\bprotocol (${SECTION}(?:(?:, | and | to )${SECTION})*)`, 'gi');

/** `protocol 2.3 to 2.7` names 2.3 and 2.7. */
const sectionsNamed = (text: string): string[] =>
  [...text.matchAll(NAMED)].flatMap(([, sections = '']) => sections.match(new RegExp(SECTION, 'g')) ?? []);

const sectionsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/^#+ (\d+(?:\.\d+)*) /gm)].map(([, section = '']) => section));

describe(PAGE, () => {
  const sections = sectionsOf(readFileSync(join(ROOT, PAGE), 'utf8'));
  const files = readFiles('src', 'scripts', 'test');

  it('when a comment names a section of the protocol, then the page has it', () => {
    const named = [...files].flatMap(([file, text]) => sectionsNamed(text).map((section) => ({ file, section })));
    assert.ok(named.length > 100, 'the test reads the comments');
    assert.deepEqual(
      named.filter(({ section }) => !sections.has(section)),
      [],
    );
  });

  it('when a section is named that the page lacks, then it is noticed', () => {
    const named = ['(protocol', 'Protocol'].flatMap((word) => sectionsNamed(`${word} 0.6, 9.1 and 2.99. */`));
    assert.deepEqual(
      named.filter((section) => !sections.has(section)),
      ['9.1', '2.99', '9.1', '2.99'],
    );
  });
});
