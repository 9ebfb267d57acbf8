import { TOKEN_PATTERN, type TemplateToken } from '../report-templates/index.ts';
import { cleanText } from './texts.ts';

export type TokenValues = Readonly<Record<TemplateToken, string>>;

const LONGEST = 2000;

/**
 * Returns the paragraphs of a text. A paragraph is omitted if one of its tokens has no value, such as the greeting in
 * the report on a site without a client. A value that looks like a token is not replaced.
 */
export function paragraphsOf(text: string, values: TokenValues): string[] {
  return text.split(/\n+/).flatMap((paragraph) => {
    let isComplete = true;
    const filled = paragraph.replace(TOKEN_PATTERN, (token, name: string) => {
      if (!Object.hasOwn(values, name)) return token;
      const value = values[name as TemplateToken];
      if (value === '') isComplete = false;
      return value;
    });
    const shown = cleanText(filled, LONGEST);
    return isComplete && shown !== '' ? [shown] : [];
  });
}
