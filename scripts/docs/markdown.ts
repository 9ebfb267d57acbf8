/** Words of the contract within Markdown pages. */

/** Outside of code: what would be read as HTML, or as an expression of the page. */
export function safeText(markdown: string): string {
  return markdown
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll('<', '&lt;').replaceAll('{{', '{\u200b{')))
    .join('');
}

/** On one line. */
export const inlineText = (markdown: string): string =>
  safeText(markdown)
    .replace(/\s*\n\s*/g, ' ')
    .trim();

/** The headings of a text, each `by` levels deeper. */
export const lowerHeadings = (markdown: string, by: number): string =>
  markdown.replace(/^(#+) /gm, `$1${'#'.repeat(by)} `);

const fence = (code: string): string => (code.includes('```') ? '````' : '```');

export const codeBlock = (language: string, code: string, label = ''): string =>
  `${fence(code)}${language}${label ? ` [${label}]` : ''}\n${code}\n${fence(code)}`;
