import {
  basePathOf,
  isAlternativeVerb,
  operationsOf,
  type ContractOperation,
  type LocatedOperation,
  type Schema,
} from '../../../src/contract/index.ts';
import { deref, parametersOf } from '../../../src/contract/index.ts';
import type { Document } from '../document.ts';
import { operationsByPart } from '../parts.ts';
import { SURFACES, type Surface } from '../../../src/contract/surfaces.ts';
import { sdkCallOf, pascalCase, type SdkCall } from './calls.ts';
import { errorsFile, sharedCodes, type SharedCodes } from './errors.ts';
import { licenseFile, packageFile, readmeFile } from './manifest.ts';
import { ModelCollector } from './models.ts';
import { printTypes, type PrintedTypes } from './print.ts';

interface SdkOperation {
  id: string;
  part: string;
  surface: Surface;
  place: LocatedOperation;
  base: string;
  document: Document;
  call: SdkCall;
}

const INLINE_SCHEMAS = ['input', 'path', 'body', 'answer'] as const;

/**
 * The package that callers install, by the path of its files: a file of types and operations for each part, the models
 * that several parts share, and the one model of a refused call.
 */
export async function sdkPackage(documents: Record<Surface, Document>): Promise<Map<string, string>> {
  const models = new ModelCollector(documents);
  const entries = SURFACES.flatMap((surface) => entriesOf(models, surface, documents[surface]));
  const data = models.schemaOf('v2', { $ref: '#/components/schemas/ErrorData' });
  const nameless = entries.flatMap(({ id, call }) =>
    INLINE_SCHEMAS.flatMap((kind): [string, Schema][] => {
      const part = call[kind];
      const schema = part && ('schema' in part ? (part as { schema: Schema }).schema : part);
      return schema ? [[keyOf(id, kind), schema]] : [];
    }),
  );
  const printed = await printTypes(models.schemas, Object.fromEntries(nameless));
  const homes = ownerFilesOf(models, entries);
  for (const name of [...models.reachedFrom(data), 'ErrorCode']) homes.set(name, ERRORS);
  const shared = sharedCodes(
    entries.map(({ surface, place, call }) => ({ surface, verb: place.verb, codes: call.codes })),
  );
  const parts = [...new Set(entries.map(({ part }) => part))].sort();
  const files = new Map<string, string>();
  const modelsIn = (home: string): string[] => [...homes].flatMap(([name, at]) => (at === home ? [name] : []));
  const withModels = (home: string, text: string, from: string): string =>
    [...importsOf(home, text, homes, shared.groups.keys(), from), text].join('\n');
  const declared = (home: string): string =>
    modelsIn(home)
      .filter((name) => name !== 'ErrorCode')
      .map((name) => `${printed.declarations.get(name)}\n`)
      .join('\n');
  files.set('models.ts', withModels(SHARED, declared(SHARED), '.'));
  files.set('errors.ts', `${errorsFile(shared)}${declared(ERRORS)}`);
  for (const part of parts) {
    const own = entries.filter((entry) => entry.part === part);
    const text = [declared(part), interfaceOf(part, own, printed, shared), ...constantsOf(part, own)].join('\n');
    files.set(`parts/${part}.ts`, withModels(part, text, '..'));
  }
  files.set('operation.ts', OPERATION);
  files.set('operations.ts', operationsFile(parts));
  files.set('package.json', packageFile());
  files.set('README.md', readmeFile());
  files.set('LICENSE', licenseFile());
  return files;
}

const SHARED = ' shared';
const ERRORS = ' errors';
const keyOf = (id: string, kind: string): string => `${id} ${kind}`;
const interfaceName = (part: string): string => `${pascalCase(part)}Operations`;

function entriesOf(models: ModelCollector, surface: Surface, document: Document): SdkOperation[] {
  const parts = new Map(operationsByPart(surface, document).map(({ id, part }) => [id, part]));
  return operationsOf(document)
    .filter(({ operation }) => !isAlternativeVerb(operation))
    .map((place) => {
      const id = place.operation.operationId;
      const call = sdkCallOf(models, surface, document, place);
      return { id, part: parts.get(id) ?? surface, surface, place, base: basePathOf(document), document, call };
    });
}

/** The file of each model: that of its part, or the shared one. */
function ownerFilesOf(models: ModelCollector, entries: SdkOperation[]): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { part, call } of entries) {
    const reached = new Set<string>();
    for (const schema of [call.input?.schema, call.query?.schema, call.body?.schema, call.answer])
      if (schema) models.reachedFrom(schema, reached);
    for (const name of reached) homes.set(name, (homes.get(name) ?? part) === part ? part : SHARED);
  }
  return homes;
}

/** Returns the import lines for names that the text uses from other files. */
function importsOf(
  home: string,
  text: string,
  homes: Map<string, string>,
  groups: Iterable<string>,
  from: string,
): string[] {
  const words = new Set(text.replaceAll(/\/\*\*[^]*?\*\//g, '').match(/\b[A-Z]\w*/g));
  const shared = [...homes].flatMap(([name, at]) => (at === SHARED && at !== home && words.has(name) ? [name] : []));
  const ofErrors = [...homes].flatMap(([name, at]) => (at === ERRORS ? [name] : []));
  const errors = [...ofErrors, ...groups].filter((name) => words.has(name));
  return [
    ...(words.has('Operation') ? [`import type { Operation } from '${from}/operation.ts';`] : []),
    ...(shared.length ? [`import type { ${shared.join(', ')} } from '${from}/models.ts';`] : []),
    ...(errors.length ? [`import type { ${errors.join(', ')} } from '${from}/errors.ts';`] : []),
  ];
}

function interfaceOf(part: string, entries: SdkOperation[], { types }: PrintedTypes, shared: SharedCodes): string {
  const lines = entries.flatMap(({ id, place, call, surface }) => {
    const answer = types.get(keyOf(id, 'answer'));
    const required = (has: boolean | undefined): string => (has ? '' : '?');
    const query = call.query ? [`query${required(call.query.required)}: ${pascalCase(id)}Query`] : [];
    const path = call.path
      ? [`path: ${types.get(keyOf(id, 'path'))?.replaceAll(/\s+/g, ' ').replace('; }', ' }')}`]
      : [];
    const body = call.body ? [`body${required(call.body.required)}: ${types.get(keyOf(id, 'body'))}`] : [];
    const isNeeded = [call.path, call.query?.required, call.body?.required].some(Boolean);
    const args = (own: string[]): string => (own.length ? `{ ${own.join('; ')} }` : 'Record<string, never>');
    return [
      `  /** ${place.operation.summary} */`,
      `  ${quoted(id)}: {`,
      ...(call.input ? [`    input${required(call.input.required)}: ${types.get(keyOf(id, 'input'))};`] : []),
      ...(!call.input && answer ? [`    args${required(isNeeded)}: ${args([...path, ...query, ...body])};`] : []),
      ...(call.files ? [`    file${fileNeeds(call)}: ${args([...path, ...fileQuery(id, call), ...body])};`] : []),
      ...(answer ? [`    answer: ${answer};`] : []),
      ...(call.list === null ? [] : [`    item: ${itemOf(answer ?? '', call)};`]),
      `    errors: ${shared.typeOf(surface, place.verb, call.codes)};`,
      '  };',
    ];
  });
  return [`export interface ${interfaceName(part)} {`, ...lines, '}', ''].join('\n');
}

/** If the operation also returns JSON, callers request a file by its format. */
const fileNeeds = ({ answer, path, query, body }: SdkCall): string =>
  (answer ?? path ?? (query?.required || body?.required)) ? '' : '?';

function fileQuery(id: string, { files, query, answer }: SdkCall): string[] {
  if (!query) return [];
  if (!answer || !files?.length) return [`query${query.required ? '' : '?'}: ${pascalCase(id)}Query`];
  const formats = files.map((format) => `'${format}'`).join(' | ');
  return [`query: Omit<${pascalCase(id)}Query, 'format'> & { format: ${formats} }`];
}

function itemOf(answer: string, { list, isMap }: SdkCall): string {
  if (list === '') return `${/^\w+$/.test(answer) ? answer : `(${answer})`}[number]`;
  return isMap ? `[string, ${answer}['data'][string]]` : `${answer}['${list}'][number]`;
}

const quoted = (id: string): string => (/^\w+$/.test(id) ? id : `'${id}'`);

function constantsOf(part: string, entries: SdkOperation[]): string[] {
  return [
    `type Of<Id extends keyof ${interfaceName(part)}> = Operation<Id, ${interfaceName(part)}[Id]>;`,
    ...entries.flatMap((entry) => {
      const { id, place } = entry;
      return [
        `/** ${place.operation.summary} */`,
        `export const ${id.replaceAll('-', '_')}: Of<'${id}'> = ${JSON.stringify(factsOf(entry))};`,
      ];
    }),
    '',
  ];
}

/** Returns the facts that a call needs at run time. Leaves out alternative verbs. */
function factsOf({ id, place, base, document, call }: SdkOperation): object {
  const { path, verb, item, operation } = place;
  const facts = item['x-ability'];
  const readonly = facts ? facts.readonly : verb === 'get';
  const isHarmless = readonly || (facts ? facts.idempotent : verb !== 'post' || operation['x-idempotent'] === true);
  const takesKey = parametersOf(document, place).some(({ name }) => name === 'Idempotency-Key');
  const files = fileFieldsOf(document, operation);
  return {
    id,
    method: verb.toUpperCase(),
    path: base + path,
    ...(facts && { ability: true }),
    ...(isHarmless && { repeatable: true }),
    ...(!readonly && takesKey && { keyed: true }),
    ...(files && { files }),
    ...(call.fileTypes.length > 0 && { fileTypes: call.fileTypes }),
    ...(call.list !== null && { list: call.list }),
  };
}

/** Returns the fields of a form that are files; null if the operation takes no form. */
function fileFieldsOf(document: Document, { requestBody }: ContractOperation): string[] | null {
  const form = requestBody?.content['multipart/form-data'];
  if (!form) return null;
  const { properties = {} } = deref(document, form.schema);
  return Object.entries(properties).flatMap(([name, field]) => (field['contentMediaType'] ? [name] : []));
}

const OPERATION = `/** Facts that the client needs to call an operation. \`types\` exists only for the compiler. */
export interface Operation<Id extends string = string, Types = unknown> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  /** True if the operation takes an input. Otherwise, it takes path, query and body. */
  readonly ability?: boolean;
  /** True if repeating the call has no further effect. */
  readonly repeatable?: boolean;
  /** True if the operation accepts an \`Idempotency-Key\`. */
  readonly keyed?: boolean;
  /** Fields of a form that are files. */
  readonly files?: readonly string[];
  /** Media types of returned files, besides JSON. */
  readonly fileTypes?: readonly string[];
  /** Field with the items of a page; \`''\` for the response itself. */
  readonly list?: string;
  readonly types?: Types;
}
`;

function operationsFile(parts: string[]): string {
  const nameOf = (part: string): string => pascalCase(part).replace(/^./, (letter) => letter.toLowerCase());
  return [
    "import type { Operation } from './operation.ts';",
    ...parts.map((part) => `import * as ${nameOf(part)} from './parts/${part}.ts';`),
    '',
    '/** Every operation of both surfaces by its id. */',
    `export interface Operations extends ${parts.map((part) => `${nameOf(part)}.${interfaceName(part)}`).join(', ')} {}`,
    'export const OPERATIONS: readonly Operation[] = [',
    ...parts.map((part) => `  ...Object.values(${nameOf(part)}),`),
    '];',
    "export type * from './models.ts';",
    ...parts.map((part) => `export type * from './parts/${part}.ts';`),
    '',
  ].join('\n');
}
