import ts from 'typescript';

/** Inserts a path into the table of contents, behind the last one of its part or at the end. */
export function insertPath(contents: string, part: string, path: string, file: string): string {
  const lines = contents.split('\n');
  const ownLast = lines.findLastIndex((line) => line.includes(`{$ref: ${part}/`));
  const last = ownLast < 0 ? lines.findLastIndex((line) => /^ {2}\/\S*: \{\$ref: /.test(line)) : ownLast;
  return lines.toSpliced(last + 1, 0, `  ${path}: {$ref: ${part}/${file}.yaml}`).join('\n');
}

/** Inserts a tag behind the tags of parts, before the chapters of text. */
export function insertTag(contents: string, tag: string): string {
  const lines = contents.split('\n');
  const chapter = lines.findIndex((line) => line.includes('x-traitTag'));
  const before = lines.findLastIndex((line, index) => index <= chapter && line.startsWith('  - '));
  const line = `  - {name: ${tag}, description: Replace this by what the part is about.}`;
  return lines.toSpliced(before < 0 ? lines.indexOf('paths:') : before, 0, line).join('\n');
}

/** Inserts a handler at the end of the map that `routes` returns. */
export function insertHandler(text: string, handler: string, path: string): string {
  const map = mapOfRoutes(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  if (!map) throw new Error(`${path} has no map of handlers in \`routes\`. Insert by hand: ${handler}`);
  const last = map.properties.at(-1);
  const end = last ? last.getEnd() : map.getStart() + 1;
  const comma = last && !map.properties.hasTrailingComma ? ',' : '';
  const at = map.properties.hasTrailingComma ? text.indexOf(',', end) + 1 : end;
  return `${text.slice(0, at)}${comma}\n  ${handler},${text.slice(at)}`;
}

function mapOfRoutes(file: ts.SourceFile): ts.ObjectLiteralExpression | undefined {
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === 'routes') return returnedMap(statement.body);
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (name.getText() === 'routes' && initializer && ts.isArrowFunction(initializer))
        return returnedMap(initializer.body);
  }
  return undefined;
}

function returnedMap(body: ts.ConciseBody | undefined): ts.ObjectLiteralExpression | undefined {
  if (!body) return undefined;
  if (ts.isBlock(body)) {
    const last = body.statements.findLast(ts.isReturnStatement);
    return last?.expression && returnedMap(last.expression);
  }
  if (ts.isObjectLiteralExpression(body)) return body;
  const isWrapped = ts.isParenthesizedExpression(body) || ts.isSatisfiesExpression(body) || ts.isAsExpression(body);
  return isWrapped ? returnedMap(body.expression) : undefined;
}

/** Adds the routes of a part to the index of its surface, in the order of the alphabet. */
export function insertPart(index: string, part: string): string {
  const name = part.replace(/-(.)/g, (_hyphen, letter: string) => letter.toUpperCase());
  const line = `import * as ${name} from './${part}/routes.ts';`;
  const imported = insertSorted(index.split('\n'), line, /^import \* as \w+ from '\.\/[\w-]+\/routes\.ts';$/);
  const entry = name === part ? `  ${name},` : `  '${part}': ${name},`;
  const start = imported.indexOf('const parts = {');
  const end = imported.findIndex((text, at) => at > start && text.startsWith('}'));
  const entries = insertSorted(imported.slice(start, end), entry, /^ {2}['\w]/);
  return imported.toSpliced(start, end - start, ...entries).join('\n');
}

function insertSorted(lines: readonly string[], line: string, form: RegExp): string[] {
  const words = (text: string): string => text.replaceAll("'", '');
  const next = lines.findIndex((text) => form.test(text) && words(text) > words(line));
  return lines.toSpliced(next < 0 ? lines.findLastIndex((text) => form.test(text)) + 1 : next, 0, line);
}
