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
   * How the column fits a narrow terminal. `keep`: values stay whole, for IDs and codes that people copy. `wrap`:
   * values continue on further lines, for messages; only the last column can have this. Default: the longest values are
   * cut.
   */
  narrow?: 'keep' | 'wrap';
}

const SHORTEST = 12;
const SHORTEST_WRAPPED = 24;
const INDENT = '  ';

/**
 * Formats rows as aligned columns. On a terminal, columns are cut or wrapped so that each line fits the width of the
 * terminal. If the columns do not fit at their smallest widths, each row continues on further lines. Only a `keep`
 * column can be wider than the terminal: the terminal then wraps its values, so they can still be copied.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = Infinity, colored }: { width?: number | undefined; colored: boolean },
): string {
  const heads = columns.map(({ title }) => title.toUpperCase());
  const rowCells = rows.map((row) => columns.map(({ of }) => formatValue(of(row))));
  const sized = columns.map(({ narrow }, at): SizedColumn => {
    const longest = Math.max(...[heads, ...rowCells].map((cells) => widthOf(cells[at] ?? '')));
    const shortest = Math.max(heads[at]?.length ?? 0, narrow === 'wrap' ? SHORTEST_WRAPPED : SHORTEST);
    return { at, narrow, width: longest, lowest: narrow === 'keep' ? longest : Math.min(longest, shortest) };
  });
  const lines = lineGroups(sized, width);
  const formatRow = (cells: readonly string[]): string => lines.map((line) => formatLine(cells, line)).join('\n');
  const head = formatRow(heads);
  return [colored ? styleText('bold', head) : head, ...rowCells.map(formatRow), ''].join('\n');
}

interface SizedColumn {
  at: number;
  narrow: Column<never>['narrow'];
  width: number;
  lowest: number;
}

interface LineGroup {
  indent: string;
  columns: SizedColumn[];
}

function lineGroups(columns: readonly SizedColumn[], width: number): LineGroup[] {
  const groups: LineGroup[] = [];
  let left = -1;
  for (const column of columns) {
    const last = groups.at(-1);
    left -= GAP.length + column.lowest;
    if (last && left >= 0) last.columns.push(column);
    else {
      const indent = last ? INDENT : '';
      groups.push({ indent, columns: [column] });
      left = width - indent.length - column.lowest;
    }
  }
  for (const { indent, columns: own } of groups) fitWidths(own, width - indent.length);
  return groups;
}

function fitWidths(columns: readonly SizedColumn[], width: number): void {
  let excess = columns.reduce((sum, each) => sum + each.width, GAP.length * (columns.length - 1)) - width;
  for (; excess > 0; excess--) {
    const [widest] = columns.filter((each) => each.width > each.lowest).sort((a, b) => b.width - a.width);
    if (!widest) break;
    widest.width -= 1;
  }
  for (const each of columns) if (each.narrow !== 'keep') each.width = Math.max(1, Math.min(each.width, width));
}

function formatLine(cells: readonly string[], { indent, columns }: LineGroup): string {
  const parts = columns.map(({ at, narrow, width }) => {
    const cell = cells[at] ?? '';
    return narrow === 'wrap' ? wrapped(cell, width) : [cut(cell, width)];
  });
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    (indent + columns.map(({ width }, at) => padded(parts[at]?.[row] ?? '', width)).join(GAP)).trimEnd(),
  ).join('\n');
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

function wrapped(text: string, width: number, { whole = false } = {}): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(whole ? word : cut(word, width));
  }
  return lines;
}

/**
 * Formats the fields of a record, one on each line. On a terminal, long values continue on further lines. If a word of
 * a value does not fit beside the name of the field, the value begins on the next line. Nothing is cut.
 */
export function formatRecord(fields: object, { width = Infinity }: { width?: number | undefined } = {}): string {
  const all = Object.entries(fields).filter(([, value]) => value !== undefined);
  const nameWidth = Math.max(0, ...all.map(([name]) => name.length));
  const left = width - nameWidth - GAP.length;
  return all
    .map(([name, value]) => {
      const text = formatValue(value);
      if (text.split(' ').some((word) => widthOf(word) > left))
        return `${[name, ...wrapped(text, width - INDENT.length, { whole: true })].join(`\n${INDENT}`)}\n`;
      return `${name.padEnd(nameWidth)}${GAP}${wrapped(text, left).join(`\n${' '.repeat(nameWidth)}${GAP}`)}\n`;
    })
    .join('');
}

/** Formats JSON for people: indented, and without the control and direction characters that a terminal interprets. */
export const formatJson = (data: unknown): string =>
  JSON.stringify(data, null, 2).replaceAll(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
