import { FieldErrors } from './fields.ts';

/** What columns of names hold, in characters. */
export const MAX_NAME = 255;

/** At most so many characters, counted as the databases count them; a character is never cut in half. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('');
}

/** A long text is only taken apart when it may be too long. */
export const isLonger = (text: string, most: number): boolean => text.length > most && Array.from(text).length > most;

/** What a search looks for, in any case. */
export const searchKeyOf = (text: string): string => text.trim().toLowerCase();

/** Names are told apart, ordered and searched by this; some letters become longer in lower case. */
export const keyOf = (name: string): string => cut(searchKeyOf(name), MAX_NAME);

/** A text as it is kept, trimmed; finds fault with one that is too long. */
export function trimmedText(fields: FieldErrors, path: string, text: string, most: number): string {
  const trimmed = text.trim();
  fields.rule(path, !isLonger(trimmed, most), `must have at most ${most} characters`);
  return trimmed;
}

/** The same for a name, which may not be blank. */
export function trimmedName(fields: FieldErrors, path: string, name: string, most = MAX_NAME): string {
  const trimmed = trimmedText(fields, path, name, most);
  fields.rule(path, trimmed !== '', 'must not be empty');
  return trimmed;
}

/** The name of a thing as it is kept. Throws `InvalidError` for a blank one and for one that is too long. */
export function checkedName(name: string): string {
  const fields = new FieldErrors();
  const trimmed = trimmedName(fields, 'name', name);
  fields.refuse();
  return trimmed;
}

/** The parts of a list that is written as a text; blank ones are none. */
export const partsOf = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
