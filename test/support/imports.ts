import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** One import of a file. Own files are paths from the root of the project, and packages are names. */
export interface Import {
  from: string;
  to: string;
  /** True if the import is removed with the types. */
  typeOnly?: boolean;
}

export const ROOT = join(import.meta.dirname, '../..');

/** Reads all TypeScript files in these folders of the project. */
export function readFiles(...folders: readonly string[]): Map<string, string> {
  const names = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]));
}

/**
 * Returns imports, exports from other files, `import()` as a call and as a type, and the `require` of `createRequire`.
 */
export function importsOf(file: string, text: string): Import[] {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const { text: name } = specifier;
    imports.push({ from: file, to: name.startsWith('.') ? normalize(join(dirname(file), name)) : name, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node))
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true);
    else if (ts.isCallExpression(node) && isDynamicImport(node)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return imports;
}

function isDynamicImport({ expression }: ts.CallExpression): boolean {
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true;
  return (
    ts.isCallExpression(expression) &&
    ts.isIdentifier(expression.expression) &&
    expression.expression.text === 'createRequire'
  );
}

/** Returns each cycle once, as the names along it. An edge is a pair: the first name needs the second one. */
export function findCycles(edges: readonly (readonly [string, string])[]): string[] {
  const needs = new Map<string, Set<string>>();
  for (const [from, to] of edges) needs.set(from, (needs.get(from) ?? new Set()).add(to));
  const circles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (name: string): void => {
    if (path.includes(name)) return void circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
    if (done.has(name)) return;
    path.push(name);
    for (const next of needs.get(name) ?? []) visit(next);
    path.pop();
    done.add(name);
  };
  for (const name of needs.keys()) visit(name);
  return circles;
}
