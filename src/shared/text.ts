import { FieldErrors } from './field-errors.ts';

/** Length of database columns for names, in characters. */
export const MAX_NAME = 255;

/** Cuts to a number of code points, because databases count these as characters. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('');
}

export const isLonger = (text: string, most: number): boolean => text.length > most && Array.from(text).length > most;

/** Returns the same key for all spellings of a text in Unicode, in which `é` can be one character or two. */
export const searchKeyOf = (text: string): string => text.trim().toLowerCase().normalize('NFC');

/**
 * Returns the key by which names are compared, sorted and searched. The key is cut to the length of its column, because
 * some letters become longer in lower case.
 */
export const nameKeyOf = (name: string): string => truncate(searchKeyOf(name), MAX_NAME);

export function trimmedText(fields: FieldErrors, path: string, text: string, most: number): string {
  const trimmed = text.trim();
  fields.require(path, !isLonger(trimmed, most), `must have at most ${most} characters`);
  return trimmed;
}

export function trimmedName(fields: FieldErrors, path: string, name: string, most = MAX_NAME): string {
  const trimmed = trimmedText(fields, path, name.normalize('NFC'), most);
  fields.require(path, trimmed !== '', 'must not be empty');
  return trimmed;
}

export function checkedName(name: string): string {
  const fields = new FieldErrors();
  const trimmed = trimmedName(fields, 'name', name);
  fields.throwIfAny();
  return trimmed;
}

export const splitList = (text: string, separator = ','): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
