/** Escapes HTML and template expressions outside of code. */
export function safeText(markdown: string): string {
  return markdown
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll('<', '&lt;').replaceAll('{{', '{\u200b{')))
    .join('');
}

export const inlineText = (markdown: string): string =>
  safeText(markdown)
    .replace(/\s*\n\s*/g, ' ')
    .trim();

export const lowerHeadings = (markdown: string, by: number): string =>
  markdown.replace(/^(#+) /gm, `$1${'#'.repeat(by)} `);

const fence = (code: string): string => (code.includes('```') ? '````' : '```');

export const codeBlock = (language: string, code: string, label = ''): string =>
  `${fence(code)}${language}${label ? ` [${label}]` : ''}\n${code}\n${fence(code)}`;
