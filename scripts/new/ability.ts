import { parse } from 'yaml';
import { insertHandler, insertPath } from './insertions.ts';

/** The text of a file, or null where there is none. */
export type ReadText = (path: string) => string | null;

export interface Skeleton {
  id: string;
  /** What is written, by path; files that are there already come with the lines put in. */
  files: Map<string, string>;
}

interface Sibling {
  'x-ability': { category: string };
  post?: { tags: string[] };
  get?: { tags: string[] };
}

const ABILITIES = 'openapi/abilities';
const CONTENTS = `${ABILITIES}/openapi.yaml`;
const READS = /^(get|list|count)-/;

/**
 * The files of a new ability on one site: contract, handler and test. The handler answers nothing, which does not
 * compile until it does, and the test fails until the ability is written and described by it.
 */
export function abilitySkeleton(part: string, name: string, read: ReadText): Skeleton {
  const id = /-v\d+$/.test(name) ? name : `${name}-v1`;
  if (!/^[a-z0-9]+(-[a-z0-9]+)+-v\d+$/.test(id)) throw new Error(`${name} is no name: it has words with hyphens.`);
  const contents = readOrFail(read, CONTENTS);
  if (contents.includes(`/svc/${id}/run:`)) throw new Error(`${id} is there already.`);
  const sibling = siblingOf(part, contents, read);
  const schemas = `${ABILITIES}/${part}/schemas.yaml`;
  const routes = `src/surfaces/abilities/${part}/routes.ts`;
  return {
    id,
    files: new Map([
      [`${ABILITIES}/${part}/${id}.yaml`, contractOf(id, sibling)],
      [schemas, `${readOrFail(read, schemas)}\n${schemasOf(id)}`],
      [CONTENTS, insertPath(contents, part, `/svc/${id}/run`, id)],
      [routes, insertHandler(readOrFail(read, routes), `'${id}': async () => {},`, routes)],
      [`test/abilities/${part}/${id}.test.ts`, testOf(id)],
    ]),
  };
}

function readOrFail(read: ReadText, path: string): string {
  const text = read(path);
  if (text === null) throw new Error(`${path} is missing: a new part begins with the recipe in CONTRIBUTING.`);
  return text;
}

/** Another ability of the part says its category and tag. */
function siblingOf(part: string, contents: string, read: ReadText): Sibling {
  const [, file] = new RegExp(`/svc/\\S+/run: \\{\\$ref: (${part}/[^}]+)\\}`).exec(contents) ?? [];
  if (!file) throw new Error(`${part} has no ability yet: a new part begins with the recipe in CONTRIBUTING.`);
  return parse(readOrFail(read, `${ABILITIES}/${file}`)) as Sibling;
}

const pascalCase = (id: string): string =>
  id
    .replace(/-v\d+$/, '')
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function contractOf(id: string, sibling: Sibling): string {
  const sentence = id
    .replace(/-v\d+$/, '')
    .replaceAll('-', ' ')
    .replace(/^./, (letter) => letter.toUpperCase());
  const reads = READS.test(id);
  return `x-ability: {category: ${sibling['x-ability'].category}, readonly: ${reads}, destructive: false, idempotent: ${reads}}
post:
${reads ? '  x-also: [get]\n' : ''}  operationId: ${id}
  tags: [${(sibling.post ?? sibling.get)?.tags.join(', ')}]
  summary: ${sentence}
  description: ${sentence}, on one site.
  x-errors: [svc_site_not_found, svc_ambiguous_site]
  parameters: [{$ref: ../../shared/parameters.yaml#/IdempotencyKey}]
  requestBody:
    required: true
    content:
      application/json:
        schema: {$ref: schemas.yaml#/${pascalCase(id)}Body}
        example: {input: {site_id_or_domain: example.com}}
  responses:
    '200':
      description: The result.
      headers: {Idempotency-Replayed: {$ref: ../../shared/headers.yaml#/IdempotencyReplayed}}
      content: {application/json: {schema: {$ref: schemas.yaml#/${pascalCase(id)}Output}}}
${ERRORS.map(([status, name]) => `    '${status}': {$ref: ../../shared/responses.yaml#/${name}}\n`).join('')}`;
}

const ERRORS = [
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [413, 'ContentTooLarge'],
  [415, 'UnsupportedMediaType'],
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
  [503, 'ServiceUnavailable'],
] as const;

function schemasOf(id: string): string {
  const name = pascalCase(id);
  return `${name}Input:
  type: object
  description: The site.
  additionalProperties: false
  required: [site_id_or_domain]
  properties:
    site_id_or_domain: {$ref: ../schemas.yaml#/SiteRef}

${name}Body:
  type: object
  description: The call.
  additionalProperties: false
  required: [input]
  properties:
    input: {$ref: '#/${name}Input'}

${name}Output:
  type: object
  description: The result.
  additionalProperties: false
  required: [site_id, site_url]
  properties:
    site_id: {$ref: ../schemas.yaml#/SiteId}
    site_url: {$ref: ../schemas.yaml#/SiteUrl}
`;
}

function testOf(id: string): string {
  const caller = READS.test(id) ? `{ as: 'nobody', expect: 401 }` : `{ as: 'viewer', expect: 403 }`;
  return `import assert from 'node:assert/strict';
import { startWorld, type CallOptions, type World } from '../../support/world.ts';

const NAME = '${id}';

describe(NAME, () => {
  let world: World;
  before(async () => (world = await startWorld({ sites: 2 })));
  after(() => world.close());

  const call = (site: unknown, options?: CallOptions) => world.ability(NAME, { site_id_or_domain: site }, options);

  it('when all is well, then it answers the site', async () => {
    assert.deepEqual(await call(world.siteId(0)), { site_id: world.siteId(0), site_url: world.site(0).url });
  });

  it('when no site goes by the reference, then it says so', async () => {
    assert.equal((await call(4040, { expect: 404 })).code, 'svc_site_not_found');
  });

  it('when the reference is no reference, then it names the field', async () => {
    await call([], { expect: 400 });
  });

  it('when the caller has no right to it, then it is refused', async () => {
    await call(world.siteId(0), ${caller});
  });

  it('when the site fails, then it says how', () => {
    assert.fail(\`Describe what \${NAME} does when the site fails; take this out where it calls none.\`);
  });
});
`;
}
