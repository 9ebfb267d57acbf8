/** JSON values as literals of other languages. */

interface Notation {
  text(value: string): string;
  word(value: boolean | null): string;
  list(items: string[], isShort: boolean): string;
  map(entries: (readonly [string, string])[], isShort: boolean): string;
}

const MAX_INLINE_LENGTH = 60;
const PYTHON_WORDS = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

const joined = (items: string[], [open, close]: readonly [string, string], step: string, isShort: boolean): string => {
  if (items.length === 0) return open + close;
  if (isShort) return `${open}${items.join(', ')}${close}`;
  return `${open}\n${items.map((item) => step + item.replaceAll('\n', `\n${step}`)).join(',\n')},\n${close}`;
};

const single = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\r', '\\r').replaceAll('\n', '\\n')}'`;

const JS: Notation = {
  text: single,
  word: String,
  list: (items, isShort) => joined(items, ['[', ']'], '  ', isShort),
  map: (entries, isShort) => {
    const fields = entries.map(([key, value]) => `${/^[A-Za-z_]\w*$/.test(key) ? key : single(key)}: ${value}`);
    return joined(fields, isShort && fields.length > 0 ? ['{ ', ' }'] : ['{', '}'], '  ', isShort);
  },
};

const PYTHON: Notation = {
  text: JSON.stringify,
  word: (value) => PYTHON_WORDS.get(value) ?? '',
  list: (items, isShort) => joined(items, ['[', ']'], '    ', isShort),
  map: (entries, isShort) =>
    joined(
      entries.map(([key, value]) => `${JSON.stringify(key)}: ${value}`),
      ['{', '}'],
      '    ',
      isShort,
    ),
};

/** PHP reads `\n` in single quotes as two characters. */
const phpText = (text: string): string =>
  /[\r\n]/.test(text) ? JSON.stringify(text).replaceAll('$', '\\$').replaceAll('\\/', '/') : single(text);

const PHP: Notation = {
  text: phpText,
  word: String,
  list: (items, isShort) => joined(items, ['[', ']'], '    ', isShort),
  // PHP encodes an empty array as a JSON list.
  map: (entries, isShort) =>
    entries.length === 0
      ? 'new stdClass()'
      : joined(
          entries.map(([key, value]) => `${phpText(key)} => ${value}`),
          ['[', ']'],
          '    ',
          isShort,
        ),
};

function toLiteral(value: unknown, notation: Notation): string {
  const isShort = JSON.stringify(value).length <= MAX_INLINE_LENGTH;
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'boolean' || value === null) return notation.word(value);
  if (Array.isArray(value))
    return notation.list(
      value.map((item) => toLiteral(item, notation)),
      isShort,
    );
  if (typeof value === 'object')
    return notation.map(
      Object.entries(value).map(([key, item]) => [key, toLiteral(item, notation)] as const),
      isShort,
    );
  return JSON.stringify(value);
}

export const jsLiteral = (value: unknown): string => toLiteral(value, JS);
export const pythonLiteral = (value: unknown): string => toLiteral(value, PYTHON);
export const phpLiteral = (value: unknown): string => toLiteral(value, PHP);
