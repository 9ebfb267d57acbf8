import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { isBinaryFile, type Schema } from '../../../src/contract/index.ts';

export interface PrintedTypes {
  /** A declaration by the name of its model. */
  declarations: Map<string, string>;
  /** The type of each schema without a name, by its key. */
  types: Map<string, string>;
}

/** TypeScript of models and of types that stand within others. Fields with a default may be left out. */
export async function printTypes(
  models: Record<string, Schema>,
  nameless: Record<string, Schema>,
): Promise<PrintedTypes> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Models', version: '1' },
    paths: {},
    components: { schemas: { ...models, ...nameless } },
  };
  const nodes = await openapiTS(document as never, {
    alphabetize: false,
    defaultNonNullable: false,
    transform: (schema) => {
      if ('contentMediaType' in schema) return fileType(schema);
      const known = (schema as Schema)['x-extensible-enum'] as string[] | undefined;
      return known && openType(known);
    },
  });
  const printed: PrintedTypes = { declarations: new Map(), types: new Map() };
  for (const member of membersOf(nodes)) {
    const name = (member.name as ts.Identifier | ts.StringLiteral).text;
    const { type } = member;
    if (!type) throw new Error(`${name} has no type.`);
    if (name in nameless) printed.types.set(name, textOf(type));
    else printed.declarations.set(name, textOf(declarationOf(name, type, member)));
  }
  return printed;
}

function membersOf(nodes: ts.Node[]): ts.PropertySignature[] {
  const components = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === 'components');
  const [schemas] = (components as ts.InterfaceDeclaration).members as unknown as [ts.PropertySignature];
  return [...(schemas.type as ts.TypeLiteralNode).members] as ts.PropertySignature[];
}

function declarationOf(name: string, type: ts.TypeNode, member: ts.PropertySignature): ts.Node {
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const declaration = ts.isTypeLiteralNode(type)
    ? ts.factory.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
    : ts.factory.createTypeAliasDeclaration(exported, name, undefined, type);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
}

/** `'sync' | 'update' | (string & {})`: editors complete the known values, and other ones are accepted. */
const openType = (known: readonly string[]): ts.TypeNode =>
  ts.factory.createUnionTypeNode([
    ...known.map((value) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value))),
    ts.factory.createParenthesizedType(
      ts.factory.createIntersectionTypeNode([
        ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
        ts.factory.createTypeLiteralNode([]),
      ]),
    ),
  ]);

/** A file in a form. A text file can be given as its text, a binary one as its bytes. */
const fileType = (schema: object): ts.TypeNode =>
  ts.factory.createUnionTypeNode([
    ts.factory.createTypeReferenceNode('Blob'),
    isBinaryFile(schema)
      ? ts.factory.createTypeReferenceNode('Uint8Array')
      : ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
  ]);

const textOf = (node: ts.Node): string =>
  astToString(node)
    .trim()
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
    .replaceAll(/^( *)\/\*\* @(?:enum|constant) .*\*\/\n/gm, '')
    .replaceAll(/^ *\* @(?:enum|constant).*\n/gm, '')
    .replaceAll(/(\/\*\*|\*) @description /g, '$1 ')
    .replaceAll(/^( +)/gm, (indent) => ' '.repeat(Math.ceil(indent.length / 2)));
