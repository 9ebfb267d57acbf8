import { posix } from 'node:path';
import { parse } from 'yaml';
import {
  appended,
  checkPart,
  contentsOf,
  errorResponses,
  listPath,
  moduleOf,
  ownKeys,
  pathsOf,
  permissionFor,
  readOrFail,
  READS,
  schemaNameOf,
  sentenceOf,
  SITE_NOT_FOUND,
  tagOf,
  VERBS,
  type ListedPath,
  type Reader,
  type Skeleton,
} from './contract.ts';
import { insertHandler, insertPart } from './insertions.ts';

export interface V2Options {
  part: string;
  name: string;
  /** Default: GET if the name starts with get, list or count, else POST. */
  method?: string | undefined;
  /** Default: the name below the path of the part. */
  path?: string | undefined;
}

interface Operation {
  id: string;
  path: string;
  verb: (typeof VERBS)[number];
  tag: string;
  module: string | undefined;
  parameters: readonly PathParameter[];
}

/** A parameter that a path contains, and the file that defines it. */
interface PathParameter {
  name: string;
  $ref: string;
  example: string;
  /** Error code for an unknown site. Undefined if the parameter does not refer to a site. */
  siteNotFound: string | undefined;
}
type SiteParameter = PathParameter & { siteNotFound: string };

const INDEX = 'src/surfaces/v2/index.ts';

/**
 * Returns the files of a new v2 operation: contract, schemas, handler and test. The handler returns its input, so that
 * all of it compiles and passes before the first change.
 */
export function v2Skeleton(options: V2Options, read: Reader): Skeleton {
  const { part, name } = options;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) throw new Error(`${name} is not a valid name: join words by hyphens.`);
  const listed = pathsOf('v2', part, read);
  checkPart(part, listed, read);
  const operation = operationIn(options, listed, read);
  const { id, path } = operation;
  const schemas = `openapi/v2/${part}/schemas.yaml`;
  const routes = `src/surfaces/v2/${part}/routes.ts`;
  const handler = handlerOf(operation);
  const written = read(routes);
  return {
    id,
    files: new Map([
      [`openapi/v2/${part}/${name}.yaml`, contractOf(operation)],
      [schemas, appended(read(schemas), schemasOf(operation))],
      [contentsOf('v2'), listPath('v2', part, path, name, read)],
      [routes, written === null ? newRoutes(part, handler) : insertHandler(written, handler, routes)],
      ...(written === null ? ([[INDEX, insertPart(readOrFail(read, INDEX), part)]] as const) : []),
      [`test/v2/${part}/${name}.test.ts`, testOf(operation)],
    ]),
  };
}

function operationIn({ part, name, method, path }: V2Options, listed: readonly ListedPath[], read: Reader): Operation {
  const id = idOf(part, name, listed);
  const ids = listed.flatMap(({ methods }) => methods.map(({ operationId }) => operationId));
  if (ids.includes(id)) throw new Error(`${id} exists already.`);
  const wanted = path ?? defaultPath(part, name, id, listed);
  if (!/^(\/([a-z0-9-]+|\{[a-z_]+\}))+$/.test(wanted)) throw new Error(`${wanted} is not a valid path.`);
  const file = new RegExp(`^ {2}${wanted.replace(/[{}]/g, '\\$&')}: \\{\\$ref: (.+)\\}$`, 'm');
  const [, taken] = file.exec(readOrFail(read, contentsOf('v2'))) ?? [];
  if (taken) throw new Error(`${wanted} is in openapi/v2/${taken}: add the method there, or choose another --path.`);
  const verb = VERBS.find((each) => each === (method ?? (READS.test(name) ? 'get' : 'post')).toLowerCase());
  if (!verb) throw new Error(`The method must be one of ${VERBS.join(', ').toUpperCase()}.`);
  const parameters = [...wanted.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) =>
    parameterIn(part, parameter, listed, read),
  );
  return { id, path: wanted, verb, tag: tagOf(part, listed), module: moduleOf(listed), parameters };
}

/** Some parts have operations that are named after something else: `keys_add` is in the part `access`. */
function idOf(part: string, name: string, listed: readonly ListedPath[]): string {
  const own = part.replaceAll('-', '_');
  const written = name.replaceAll('-', '_');
  const others = listed
    .flatMap(({ methods }) => methods.map(({ operationId }) => operationId))
    .filter((id) => !id.startsWith(`${own}_`))
    .map((id) => id.split('_')[0]);
  return written.includes('_') && others.includes(written.split('_')[0]) ? written : `${own}_${written}`;
}

function defaultPath(part: string, name: string, id: string, listed: readonly ListedPath[]): string {
  const sibling = listed.find(({ methods }) =>
    methods.some(({ operationId }) => operationId.split('_')[0] === id.split('_')[0]),
  );
  const [, first = part] = sibling?.path.split('/') ?? [];
  return `/${first}/${name}`;
}

function parameterIn(part: string, name: string, listed: readonly ListedPath[], read: Reader): PathParameter {
  const own = listed.flatMap(({ parameterFiles }) => parameterFiles);
  for (const file of new Set(['parameters.yaml', '../parameters.yaml', ...own])) {
    const text = read(posix.join('openapi/v2', part, file));
    const known = Object.entries((text === null ? {} : parse(text)) as Record<string, Parameter>);
    const entry = known.find(([, parameter]) => parameter.in === 'path' && parameter.name === name);
    if (!entry) continue;
    const [key, parameter] = entry;
    const site = parameter['x-site'];
    const siteNotFound = typeof site === 'object' ? site.code : site && SITE_NOT_FOUND;
    return { name, $ref: `${file}#/${key}`, example: String(parameter.example), siteNotFound };
  }
  throw new Error(`No path parameter is called ${name}: define it in openapi/v2/${part}/parameters.yaml first.`);
}

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
  'x-site'?: true | { code: string };
}

const siteIn = ({ parameters }: Operation): SiteParameter | undefined =>
  parameters.find((parameter): parameter is SiteParameter => parameter.siteNotFound !== undefined);

const hasBody = ({ verb }: Operation): boolean => verb !== 'get' && verb !== 'delete';
const isWrite = ({ verb }: Operation): boolean => verb !== 'get';

function handlerOf(operation: Operation): string {
  const from = hasBody(operation) ? 'body' : 'query';
  const message = isWrite(operation) ? `message: 'The call was made.', ` : '';
  return `${operation.id}: async ({ ${from} }) => ({
    status: 200,
    body: { success: 1, ${message}data: { text: ${from}.text } },
  })`;
}

const newRoutes = (part: string, handler: string): string => `import type { HandlersOf } from '../handlers.ts';

export const routes = (): HandlersOf<'${part}'> => ({
  ${handler},
});
`;

const TEXT = 'A text. Replace it by what the operation needs.';

function contractOf(operation: Operation): string {
  const { id, verb, tag, module, parameters } = operation;
  const name = schemaNameOf(id);
  const site = siteIn(operation);
  const own = [
    ...(isWrite(operation) ? ['    - {$ref: ../../shared/parameters.yaml#/IdempotencyKey}\n'] : []),
    ...(hasBody(operation)
      ? []
      : [
          `    - name: text
      in: query
      required: true
      description: ${TEXT}
      schema: {type: string, maxLength: 200}
      example: hello
`,
        ]),
  ];
  const body = `  requestBody:
    required: true
    content: {application/json: {schema: {$ref: schemas.yaml#/${name}Input}, example: {text: hello}}}
`;
  const headers = '      headers: {Idempotency-Replayed: {$ref: ../../shared/headers.yaml#/IdempotencyReplayed}}\n';
  const shared = parameters.map(({ $ref }) => `{$ref: ${$ref}}`).join(', ');
  return `${shared === '' ? '' : `parameters: [${shared}]\n`}${verb}:
  operationId: ${id}
  tags: [${tag}]
  summary: ${sentenceOf(id)}
  description: Replace this by what the operation does, what it needs, what it returns, and its limits.
  x-permission: ${permissionFor(tag, !isWrite(operation))}
${verb === 'delete' ? '  x-effect: destroys\n' : ''}${ownKeys(module, site?.siteNotFound)}${own.length === 0 ? '' : `  parameters:\n${own.join('')}`}${hasBody(operation) ? body : ''}  responses:
    '200':
      description: The result.
${isWrite(operation) ? headers : ''}      content: {application/json: {schema: {$ref: schemas.yaml#/${name}Result}}}
${errorResponses({
  ...{ hasModule: module !== undefined, hasSite: site !== undefined },
  ...{ isWrite: isWrite(operation), hasBody: hasBody(operation) },
})}`;
}

function schemasOf(operation: Operation): string {
  const name = schemaNameOf(operation.id);
  const input = `${name}Input:
  type: object
  description: The request.
  additionalProperties: false
  required: [text]
  properties:
    text: {type: string, maxLength: 200, description: ${TEXT}, examples: [hello]}

`;
  const message = '    message: {$ref: ../schemas.yaml#/Message}\n';
  return `${name}Data:
  type: object
  description: The result.
  additionalProperties: false
  required: [text]
  properties:
    text: {type: string, description: The text. Replace it by the result., examples: [hello]}

${hasBody(operation) ? input : ''}${name}Result:
  type: object
  description: The response.
  additionalProperties: false
  required: [success, ${isWrite(operation) ? 'message, ' : ''}data]
  properties:
    success: {type: integer, const: 1, description: Always 1.}
${isWrite(operation) ? message : ''}    data: {$ref: '#/${name}Data'}
`;
}

function testOf(operation: Operation): string {
  const { id, verb, path, parameters } = operation;
  const method = verb.toUpperCase();
  const known = siteIn(operation);
  const filled = (site: string): string =>
    parameters.reduce(
      (text, parameter) => text.replace(`{${parameter.name}}`, parameter === known ? site : parameter.example),
      path,
    );
  const inBody = hasBody(operation);
  const place = inBody ? 'body' : 'query';
  const long = `'x'.repeat(201)`;
  const options = (text: string, more = ''): string => {
    const all = [...(inBody ? [`body: { text: ${text} }`] : []), ...(more === '' ? [] : [more])].join(', ');
    return all === '' ? '' : `, { ${all} }`;
  };
  const call = (text: string, { more = '', site = '${world.siteId(0)}' } = {}): string => {
    const query = text === long ? `\${${long}}` : 'hello';
    const address = `/api/v2${filled(site)}${inBody ? '' : `?text=${query}`}`;
    const quote = address.includes('${') ? '`' : "'";
    return `world.request('${method}', ${quote}${address}${quote}${options(text, more)})`;
  };
  const message = isWrite(operation) ? `message: 'The call was made.', ` : '';
  const rejected = isWrite(operation) ? `as: 'reader', expect: 403` : `as: 'nobody', expect: 401`;
  const unknownSite = `
  it('when no site has the ID, then the error says so', async () => {
    const { body } = await ${call(`'hello'`, { more: 'expect: 404', site: '4040' })};
    assert.equal(body.code, '${known?.siteNotFound}');
  });
`;
  return `import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

describe('${id}', () => {
  let world: World;
  before(async () => (world = await startWorld(${known ? '{ sites: 1 }' : ''})));
  after(() => world.close());

  it('when it is called, then it returns the result', async () => {
    const { body } = await ${call(`'hello'`)};
    assert.deepEqual(body, { success: 1, ${message}data: { text: 'hello' } });
  });
${known ? unknownSite : ''}
  it('when a field is invalid, then the error names the field', async () => {
    const { body } = await ${call(long, { more: 'expect: 400' })};
    assert.equal(body.data.errors[0].path, '${place}.text');
  });

  it('when the caller lacks the permission, then the call is rejected', async () => {
    await ${call(`'hello'`, { more: rejected })};
  });
});
`;
}
