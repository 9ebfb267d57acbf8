import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import { sanitizeMessage } from './sanitize-message.ts';
import { asObject, readExactText, readField } from './json-values.ts';

/** Maximum number of characters of an answer that are examined. WordPress answers with a few words. */
const EXAMINED_CHARS = 64 * 1024;

/**
 * Returns an error unless WordPress confirmed that it switched the automatic update on or off. `content` of the answer
 * is the response of `admin-ajax.php` of the site: `{"success":true}`, a failure with a reason, or `0` or `-1` without
 * a reason. Other plugins can print text before it.
 */
export function decodeSwitchRefusal(answer: unknown): ChildBadAnswerError | null {
  const content = readExactText(readField(asObject(answer), 'content')).slice(0, EXAMINED_CHARS);
  const said = asObject(parseOrNull(content.slice(Math.max(0, content.lastIndexOf('{"success":')))));
  if (readField(said, 'success') === true) return null;
  const reason = readField(asObject(readField(said, 'data')), 'error');
  const message = typeof reason === 'string' ? sanitizeMessage(reason) : '';
  return new ChildBadAnswerError('The site did not switch the automatic update.', {
    outcome: 'answered',
    ...(message && { child_message: message }),
  });
}

function parseOrNull(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}
