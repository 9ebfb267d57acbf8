import { styleText } from 'node:util';

const GAP = '  ';

/** Replaces control characters, because data from a site could contain terminal escape sequences. */
export const formatValue = (value: unknown): string =>
  (typeof value === 'string' ? value : value === null || value === undefined ? '-' : JSON.stringify(value)).replaceAll(
    // oxlint-disable-next-line no-control-regex -- these are the signs that are meant
    /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g,
    ' ',
  );

export interface Column<Row> {
  title: string;
  of: (row: Row) => unknown;
  /**
   * Effect of a narrow terminal on the column. `keep`: none, for IDs and codes that people copy. `wrap`: values
   * continue on further lines, for messages; at most one column, the last. Default: the longest values are cut.
   */
  narrow?: 'keep' | 'wrap';
}

/** Smallest width of a column whose values are cut. */
const SHORTEST = 6;
/** Smallest width of a wrapped column. */
const SHORTEST_WRAPPED = 24;

/** Formats rows as aligned columns. On a terminal, columns are cut or wrapped so that each line fits its width. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = Infinity, colored }: { width?: number | undefined; colored: boolean },
): string {
  const cells = rows.map((row) => columns.map(({ of }) => formatValue(of(row))));
  const heads = columns.map(({ title }) => title.toUpperCase());
  const longest = heads.map((head, at) => Math.max(head.length, ...cells.map((line) => widthOf(line[at] ?? ''))));
  const widths = fittedWidths(columns, longest, width);
  const formatLine = (line: readonly string[]): string => {
    const parts = line.map((cell, at) =>
      columns[at]?.narrow === 'wrap' ? wrapped(cell, widths[at] ?? 0) : [cut(cell, widths[at] ?? 0)],
    );
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, row) =>
      cut(
        parts
          .map((part, at) => padded(part[row] ?? '', widths[at] ?? 0))
          .join(GAP)
          .trimEnd(),
        width,
      ),
    ).join('\n');
  };
  const head = formatLine(heads);
  return [colored ? styleText('bold', head) : head, ...cells.map(formatLine), ''].join('\n');
}

/** Shortens the widest column by one character until the line fits or no column can be shorter. */
function fittedWidths<Row>(columns: readonly Column<Row>[], longest: readonly number[], width: number): number[] {
  const widths = [...longest];
  const lowest = columns.map(({ narrow, title }) =>
    narrow === 'keep' ? Infinity : Math.max(title.length, narrow === 'wrap' ? SHORTEST_WRAPPED : SHORTEST),
  );
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  for (; excess > 0; excess--) {
    const candidates = widths.map((each, at) => (each > (lowest[at] ?? 0) ? each : 0));
    const most = Math.max(...candidates);
    if (most === 0) break;
    widths[candidates.indexOf(most)] = most - 1;
  }
  return widths;
}

const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const characters = new Intl.Segmenter();
const charactersOf = (text: string): string[] => Array.from(characters.segment(text), ({ segment }) => segment);

/** Returns the number of terminal columns of a text. Characters of East Asian scripts and emojis take two. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return charactersOf(text).reduce((sum, each) => sum + (WIDE.test(each) ? 2 : 1), 0);
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Cuts a text to a width. The last character of a cut text is `…`. */
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let start = '';
  let used = 1;
  for (const each of charactersOf(text)) {
    used += widthOf(each);
    if (used > width) break;
    start += each;
  }
  return `${start}…`;
}

/** Breaks a text between words. Longer words are cut. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(cut(word, width));
  }
  return lines;
}

export function formatRecord(fields: object): string {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...all.map(([name]) => name.length));
  return all.map(([name, value]) => `${name.padEnd(width)}${GAP}${formatValue(value)}\n`).join('');
}

/** Formats JSON for people: indented, and without the control and direction characters that a terminal interprets. */
export const formatJson = (data: unknown): string =>
  JSON.stringify(data, null, 2).replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
