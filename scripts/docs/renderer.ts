import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';
import { FIELDS_LANGUAGE, fieldsHtml } from './field-lists.ts';
import type { FieldGroup } from './fields.ts';
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

/** Returns the target of a link as seen from the page, or null if the site has no such page. */
export type ResolveLink = (href: string) => string | null;

interface Environment {
  resolve: ResolveLink;
  headings: Heading[];
  /** Number of open links that were replaced by a `span`. */
  dropped: number;
}

/** Returns the same anchor as Git hosts do, so that a link works on both. */
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
  // Headings that contain a link get no second one.
  permalink: (slug, options, state, index) => {
    const parts = state.tokens[index + 1]?.children ?? [];
    if (!parts.some(({ type }) => type === 'link_open')) linkHeading(slug, options, state, index);
  },
  level: [2, 3, 4],
  callback: (token, { slug, title }) => {
    headings.push({ level: Number(token.tag.slice(1)), id: slug, text: title });
  },
});
/** Headings of the current text. Rendering is synchronous, so one list is enough. */
let headings: Heading[] = [];

/** Language of a code block, and the optional label of a sample: `ts [TypeScript]`. */
const FENCE_INFO = /^(\S*)(?:\s*\[(.+)\])?/;

markdown.renderer.rules['fence'] = (tokens, index, _options, env: Environment) => {
  const { info = '', content = '' } = tokens[index] ?? {};
  const [, language = '', label = ''] = FENCE_INFO.exec(info) ?? [];
  if (language === FIELDS_LANGUAGE)
    return fieldsHtml(JSON.parse(content) as FieldGroup[], (text) => markdown.renderInline(text, env));
  const named = label ? ` data-label="${escapeHtml(label)}"` : '';
  // Scrollable elements must be reachable by keyboard.
  return `<div class="code"${named}><pre tabindex="0"><code>${highlight(content, language)}</code></pre></div>\n`;
};
markdown.renderer.rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>\n';
// An empty header cell must not be a `th` (accessibility).
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
