import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, ROOT } from '../support/imports.ts';

const PAGE = 'docs/protocol.md';
/** A section number in a comment. The section need not exist. */
const SECTION = String.raw`\d+(?:\.\d+)*[a-z]?\b`;
const SECTIONS = String.raw`${SECTION}(?:(?:, | and | to )${SECTION})*`;
const AFTER_WORD = new RegExp(String.raw`\bprotocol (${SECTIONS})`, 'gi');
/** `(5.2)` in a comment. */
const IN_BRACKETS = new RegExp(String.raw`\((?=\d+\.)(${SECTIONS})\)`, 'g');
const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g;
const NEXT_LINE = /\n *(?:\*(?!\/)|\/\/) ?/g;

/** Returns the section numbers in a text: `protocol 2.3 to 2.7` names 2.3 and 2.7, even across lines. */
function sectionsNamed(text: string): string[] {
  const joined = text.replace(NEXT_LINE, ' ');
  const comments = (joined.match(COMMENT) ?? []).join('\n');
  return [...joined.matchAll(AFTER_WORD), ...comments.matchAll(IN_BRACKETS)].flatMap(
    ([, sections = '']) => sections.match(new RegExp(SECTION, 'g')) ?? [],
  );
}

const sectionsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/^#+ (\d+(?:\.\d+)*) /gm)].map(([, section = '']) => section));

describe(PAGE, () => {
  const sections = sectionsOf(readFileSync(join(ROOT, PAGE), 'utf8'));
  const files = readFiles('src', 'scripts', 'test');
  // The examples below name sections that do not exist.
  files.delete('test/docs/protocol.test.ts');

  it('when a comment names a section of the protocol, then the page has the section', () => {
    const named = [...files].flatMap(([file, text]) => sectionsNamed(text).map((section) => ({ file, section })));
    assert.ok(named.length > 100, 'the test reads the comments');
    assert.deepEqual(
      named.filter(({ section }) => !sections.has(section)),
      [],
    );
  });

  it('when a comment names a missing section, then it is reported', () => {
    const examples = [
      '/** Is so (protocol 0.6, 9.1 and 2.99). */',
      '/** Protocol 0.6, 9.1 and 2.99. */',
      '/**\n * Is so (protocol\n * 0.6, 9.1\n * and 2.99).\n */',
      '  // Is so (protocol\n  // 0.6, 9.1 and 2.99).',
      'const one = 1; // Is so (0.6, 9.1, 2.99).',
    ];
    for (const text of examples)
      assert.deepEqual(
        sectionsNamed(text).filter((section) => !sections.has(section)),
        ['9.1', '2.99'],
        text,
      );
    assert.deepEqual(sectionsNamed('/** Codes of the protocol (2.4, 8c). */'), ['2.4', '8c']);
  });

  it('when a number is not a section number, then it is ignored', () => {
    for (const text of ['round(5.2)', '/** At most (5) of TLS 1.2. */', '/** Half of it (0.5 s). */'])
      assert.deepEqual(sectionsNamed(text), [], text);
  });
});
