import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { filesOfSite, SITE } from '../support/docs-site.ts';

/** Paths that the service serves outside the site. */
const SERVED_PATHS = /^\/(?:openapi\/(?:abilities|v2)\.(?:json|yaml)|llms(?:-full)?\.txt)$/;

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?\n```|`[^`\n]*`/g, '');

describe('links of the docs', () => {
  const pages = new Map<string, string>();
  let files: Set<string>;
  before(async () => {
    files = new Set(await filesOfSite(''));
    for (const file of files) if (/\.(html|md)$/.test(file)) pages.set(file, await readFile(join(SITE, file), 'utf8'));
  });

  const fileBehind = (from: string, path: string): string => {
    const file = path === '' ? from : posix.join(posix.dirname(from), path);
    return path.endsWith('/') || file === '.' ? posix.join(file, 'index.html') : file;
  };
  const isBroken = (from: string, href: string): boolean => {
    if (/^(https?:|data:|mailto:)/.test(href) || SERVED_PATHS.test(href)) return false;
    const [path = '', hash] = href.split('#');
    const target = fileBehind(from, path);
    if (!files.has(target)) return true;
    return hash !== undefined && target.endsWith('.html') && !pages.get(target)?.includes(`id="${hash}"`);
  };

  it('when a page links to a page or heading, then the target exists', () => {
    const broken: string[] = [];
    let links = 0;
    for (const [file, html] of pages) {
      if (!file.endsWith('.html')) continue;
      for (const [, href = ''] of html.matchAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src|data-search)="([^"]+)"/g)) {
        links++;
        if (isBroken(file, href)) broken.push(`${file}: ${href}`);
      }
    }
    assert.ok(links > 10_000, 'the test reads the links');
    assert.deepEqual(broken, []);
  });

  it('when a Markdown page links to a page, then the target is an existing Markdown page', () => {
    const broken: string[] = [];
    for (const [file, text] of pages) {
      if (!file.endsWith('.md')) continue;
      const prose = withoutCode(text);
      for (const [, href = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g))
        if (!href.startsWith('#') && isBroken(file, href)) broken.push(`${file}: ${href}`);
    }
    assert.deepEqual(broken, []);
  });

  it('when a guide links to a file of the repository, then the site has the file', async () => {
    const lost: string[] = [];
    for (const name of await readdir('docs/guides')) {
      const written = await readFile(join('docs/guides', name), 'utf8');
      const served = pages.get(`guides/${name}`) ?? '';
      for (const [, words = '', href = ''] of withoutCode(written).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g))
        if (!served.includes(`[${words}](`)) lost.push(`${name}: ${href}`);
    }
    assert.deepEqual(lost, []);
    for (const file of ['examples/ci/github.yml', 'examples/typescript/errors.ts', 'examples/programs/go/main.go'])
      assert.ok(files.has(file), file);
    assert.match(pages.get('guides/contract-checks.md') ?? '', /\[github\.yml\]\(\.\.\/examples\/ci\/github\.yml\)/);
  });

  it('when there is an HTML page, then its Markdown page exists and llms.txt lists it', async () => {
    const list = await readFile(join(SITE, 'llms.txt'), 'utf8');
    const markdownPages = [...pages.keys()]
      .filter((file) => file.endsWith('.html'))
      .map((file) => file.replace(/html$/, 'md'));
    assert.deepEqual(
      markdownPages.filter((file) => !pages.has(file)),
      [],
    );
    assert.deepEqual(
      markdownPages.filter((file) => !list.includes(`(/docs/${file})`)),
      [],
    );
  });
});
