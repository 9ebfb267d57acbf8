/** Markdown as the HTML of a page. */
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { escapeHtml, highlight } from './highlight.ts';

export interface Heading {
  level: number;
  id: string;
  text: string;
}

export interface RenderedPage {
  html: string;
  headings: Heading[];
}

/** Where a link of a page leads, as its reader follows it; null where the site has nothing there. */
export type ResolveLink = (href: string) => string | null;

interface Environment {
  resolve: ResolveLink;
  headings: Heading[];
  /** Links that were left out and whose end is still to come. */
  dropped: number;
}

/** As hosts of Markdown make it, so that one link works there and here. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const markdown = new MarkdownIt({ html: true });

const linkHeading = anchor.permalink.headerLink();

markdown.use(anchor, {
  slugify: slugOf,
  // A heading that is a link already stays that.
  permalink: (slug, options, state, index) => {
    const parts = state.tokens[index + 1]?.children ?? [];
    if (!parts.some(({ type }) => type === 'link_open')) linkHeading(slug, options, state, index);
  },
  level: [2, 3, 4],
  callback: (token, { slug, title }) => {
    headings.push({ level: Number(token.tag.slice(1)), id: slug, text: title });
  },
});
/** Of the text that is rendered at the moment; rendering does not wait for anything. */
let headings: Heading[] = [];

/** `[Label]` behind the language names a sample. */
const FENCE_INFO = /^(\S*)(?:\s*\[(.+)\])?/;

markdown.renderer.rules['fence'] = (tokens, index) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const [, language = '', label = ''] = FENCE_INFO.exec(info) ?? [];
  const named = label ? ` data-label="${escapeHtml(label)}"` : '';
  // What scrolls must be reached by the keyboard.
  return `<div class="code"${named}><pre tabindex="0"><code>${highlight(content, language)}</code></pre></div>\n`;
};
markdown.renderer.rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';
// An empty heading of a column names nothing.
for (const [rule, step] of [
  ['th_open', 1],
  ['th_close', -1],
] as const)
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    if (token && tokens[index + step]?.content === '') token.tag = 'td';
    return self.renderToken(tokens, index, options);
  };
markdown.renderer.rules['link_open'] = (tokens, index, options, env: Environment, self) => {
  const token = tokens[index];
  const href = token?.attrGet('href') ?? '';
  const link = href.startsWith('#') ? href : env.resolve(href);
  if (link === null) {
    env.dropped++;
    return '<span>';
  }
  token?.attrSet('href', link);
  if (/^https?:/.test(link)) token?.attrSet('rel', 'noreferrer');
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules['link_close'] = (_tokens, _index, _options, env: Environment) => {
  if (env.dropped === 0) return '</a>';
  env.dropped--;
  return '</span>';
};

export function renderMarkdown(text: string, resolve: ResolveLink): RenderedPage {
  headings = [];
  const env: Environment = { resolve, headings, dropped: 0 };
  const html = markdown.render(text, env);
  return { html, headings };
}
