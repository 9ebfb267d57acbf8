import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../support/imports.ts';

const RECIPES = 'docs/recipes';
const recipes = readdirSync(join(ROOT, RECIPES)).map((name) => posix.join(RECIPES, name));
/** Pages for readers of the repository that the docs site does not have. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'openapi/README.md', ...recipes];
const WITH_COMMANDS = [...PAGES, 'docs/architecture.md', 'docs/guides/operating.md', 'docs/guides/first-steps.md'];
const MOST_WORDS = { 'README.md': 700, 'CONTRIBUTING.md': 600 };
/** Files that the recipes create in their examples. */
const CREATED = /archive|check-tag|tag-checks/;

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const proseOf = (page: string): string => textOf(page).replace(/```[\s\S]*?\n *```/g, '');
const isMissing = (path: string): boolean => !existsSync(join(ROOT, path));

function linksOf(page: string): string[] {
  const links = proseOf(page)
    .replace(/`[^`\n]*`/g, '')
    .matchAll(/\]\(([^)\s#]+)/g);
  return [...links].flatMap(([, href = '']) => (/^[a-z]+:/.test(href) ? [] : [href]));
}

describe('pages of the repository', () => {
  it('when a page links to a file, then the file exists', () => {
    const links = PAGES.flatMap((page) => linksOf(page).map((href) => ({ page, href })));
    assert.ok(links.length > 40, 'the test reads the links');
    const broken = links.filter(({ page, href }) => isMissing(posix.join(posix.dirname(page), href)));
    assert.deepEqual(broken, []);
  });

  it('when a recipe names a file, then the file exists or the recipe creates it', () => {
    const paths = recipes.flatMap((page) =>
      [...proseOf(page).matchAll(/`((?:src|openapi|test|scripts|docs|generated)\/[\w./-]+)`/g)].map(
        ([, path = '']) => path,
      ),
    );
    assert.ok(paths.length > 50, 'the test reads the paths');
    assert.deepEqual(
      paths.filter((path) => isMissing(path) && !CREATED.test(path)),
      [],
    );
  });

  it('when a page names a command, then package.json has it', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const names = WITH_COMMANDS.flatMap((page) =>
      [...textOf(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => ({ page, name })),
    );
    assert.ok(names.length > 50, 'the test reads the commands');
    assert.deepEqual(
      names.filter(({ name }) => !(name in scripts)),
      [],
    );
  });

  it('when there is a recipe, then the index lists it', () => {
    const listed = linksOf(`${RECIPES}/README.md`).map((href) => posix.join(RECIPES, href));
    assert.deepEqual(
      recipes.filter((page) => !page.endsWith('README.md') && !listed.includes(page)),
      [],
    );
  });

  for (const [page, most] of Object.entries(MOST_WORDS))
    it(`when ${page} grows, then it stays below ${most} words`, () => {
      const words = textOf(page).trim().split(/\s+/).length;
      assert.ok(
        words <= most,
        `${page} has ${words} words, at most ${most}. Shorten it, or move text to another page.`,
      );
    });
});
