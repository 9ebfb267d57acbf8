import { truncate } from '../../shared/text.ts';

/** Fatal error in PHP, as WordPress describes it. Untrusted text. */
export interface PhpError {
  message: string;
  file: string | null;
  line: number | null;
}

const MAX_LENGTH = 500;
export const phpErrorIn = (text: string): PhpError =>
  toPhpError({ message: text.replace(/ in \S+(?: on line |:)\d+$/, ''), file: null, line: null });

/** Removes markup, control characters, and the file and line that uncaught exceptions repeat in their message. */
export const toPhpError = ({ message, file, line }: PhpError): PhpError => ({
  message: plainText(message.replace(` in ${file}:${line}`, '')),
  file: file === null ? null : plainText(file),
  line,
});

const plainText = (text: string): string =>
  truncate(
    text
      .replace(/<[^>]*>/g, ' ')
      // eslint-disable-next-line no-control-regex
      .replace(/[\x00-\x1f\x7f]+/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    MAX_LENGTH,
  );
