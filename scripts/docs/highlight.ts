/** Highlights code with classes of the style sheet. */
import { createRequire } from 'node:module';

/** The part of highlight.js that we use. Its own types would add browser types to all files of the project. */
interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string }): { value: string };
}

const load = createRequire(import.meta.url);
const hljs = load('highlight.js/lib/core') as Highlighter;

const GRAMMARS = {
  bash: ['sh', 'console'],
  ini: ['http'],
  json: [],
  php: [],
  python: ['py'],
  typescript: ['ts', 'js'],
};
const MARKUP = { xml: ['html'], yaml: ['yml'] };

for (const [grammar, aliases] of Object.entries({ ...GRAMMARS, ...MARKUP }))
  for (const name of [grammar, ...aliases]) hljs.registerLanguage(name, load(`highlight.js/lib/languages/${grammar}`));

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const highlight = (code: string, language: string): string =>
  hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
