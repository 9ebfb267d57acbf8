/** Puts a path into the table of contents, behind the last one of its part. */
export function insertPath(contents: string, part: string, path: string, file: string): string {
  const lines = contents.split('\n');
  const last = lines.findLastIndex((line) => line.includes(`{$ref: ${part}/`));
  if (last < 0) throw new Error(`No path of ${part} is listed.`);
  return lines.toSpliced(last + 1, 0, `  ${path}: {$ref: ${part}/${file}.yaml}`).join('\n');
}

/** Puts a handler at the end of the map that a file of routes makes, which the file ends with. */
export function insertHandler(text: string, handler: string, path: string): string {
  const [, start, indent, end] = /^([^]*\n)(?=\}\);\n$|( {2})\};\n\};\n$)([^]*)$/.exec(text) ?? [];
  if (start === undefined) throw new Error(`${path} does not end with its map of handlers. Put in by hand: ${handler}`);
  return `${start}${indent ?? ''}  ${handler}\n${end}`;
}
