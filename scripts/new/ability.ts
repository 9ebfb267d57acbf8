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
  type ListedPath,
  type Reader,
  type Skeleton,
} from './contract.ts';
import { insertHandler, insertPart } from './insertions.ts';

export interface AbilityOptions {
  part: string;
  name: string;
  /** True if the ability is about one site, which its input names. */
  hasSite: boolean;
  /** Required in a part that has no ability yet. */
  category?: string | undefined;
}

interface Ability {
  id: string;
  words: string;
  category: string;
  tag: string;
  module: string | undefined;
  hasSite: boolean;
}

const SURFACE = 'abilities';
const INDEX = 'src/surfaces/abilities/index.ts';
const CATEGORIES = 'src/surfaces/abilities/discovery/routes.ts';

/**
 * Returns the files of a new ability: contract, schemas, handler and test. The handler returns its input, so that all
 * of it compiles and passes before the first change.
 */
export function abilitySkeleton({ part, name, hasSite, category }: AbilityOptions, read: Reader): Skeleton {
  const words = name.replace(/-v\d+$/, '');
  const id = words === name ? `${name}-v1` : name;
  if (!/^[a-z0-9]+(-[a-z0-9]+)+$/.test(words))
    throw new Error(`${name} is not a valid name: it needs at least two words, joined by hyphens.`);
  if (readOrFail(read, contentsOf(SURFACE)).includes(`/svc/${id}/run:`)) throw new Error(`${id} exists already.`);
  const listed = pathsOf(SURFACE, part, read);
  checkPart(part, listed, read);
  const ability: Ability = {
    ...{ id, words, hasSite, tag: tagOf(part, listed), module: moduleOf(listed) },
    category: categoryIn(part, listed, category, read),
  };
  const schemas = `openapi/${SURFACE}/${part}/schemas.yaml`;
  const routes = `src/surfaces/${SURFACE}/${part}/routes.ts`;
  const handler = `'${id}': async (${hasSite ? '_input, { site }' : '{ text }'}) => (${resultOf(ability)})`;
  const written = read(routes);
  return {
    id,
    files: new Map([
      [`openapi/${SURFACE}/${part}/${id}.yaml`, contractOf(ability)],
      [schemas, appended(read(schemas), schemasOf(ability))],
      [contentsOf(SURFACE), listPath(SURFACE, part, `/svc/${id}/run`, id, read)],
      [routes, written === null ? newRoutes(part, handler) : insertHandler(written, handler, routes)],
      ...(written === null ? ([[INDEX, insertPart(readOrFail(read, INDEX), part)]] as const) : []),
      [`test/${SURFACE}/${part}/${id}.test.ts`, testOf(ability)],
    ]),
  };
}

/** Other abilities of the part say their category. */
function categoryIn(part: string, listed: readonly ListedPath[], wanted: string | undefined, read: Reader): string {
  const own = wanted ?? listed.find(({ category }) => category !== undefined)?.category;
  const known = [...readOrFail(read, CATEGORIES).matchAll(/^ {2}'(svc-[a-z-]+)': \{/gm)].map(([, slug]) => slug);
  if (own === undefined)
    throw new Error(
      `${part} has no ability yet: choose a category, as in --category ${known[0]}: ${known.join(', ')}.`,
    );
  if (!known.includes(own)) throw new Error(`The category must be one of ${known.join(', ')}.`);
  return own;
}

const resultOf = ({ hasSite }: Ability): string => (hasSite ? '{ site_id: site.id, site_url: site.url }' : '{ text }');

const newRoutes = (part: string, handler: string): string => `import type { HandlersOf } from '../handlers.ts';

export const routes = (): HandlersOf<'${part}'> => ({
  ${handler},
});
`;

function contractOf({ id, words, category, tag, module, hasSite }: Ability): string {
  const isRead = READS.test(words);
  const name = schemaNameOf(words);
  const example = hasSite ? 'site_id_or_domain: example.com' : 'text: hello';
  const errors = errorResponses({ hasModule: module !== undefined, hasSite, isWrite: true, hasBody: true });
  return `x-ability: {category: ${category}, readonly: ${isRead}, destructive: false, idempotent: ${isRead}}
post:
${isRead ? '  x-also: [get]\n' : ''}  operationId: ${id}
  tags: [${tag}]
  summary: ${sentenceOf(words)}
  description: Replace this by what the ability does, what it needs, what it returns, and its limits.
  x-permission: ${permissionFor(tag, isRead)}
${ownKeys(module, hasSite ? SITE_NOT_FOUND : undefined)}  parameters: [{$ref: ../../shared/parameters.yaml#/IdempotencyKey}]
  requestBody:
    required: true
    content:
      application/json:
        schema: {$ref: schemas.yaml#/${name}Body}
        example: {input: {${example}}}
  responses:
    '200':
      description: The result.
      headers: {Idempotency-Replayed: {$ref: ../../shared/headers.yaml#/IdempotencyReplayed}}
      content: {application/json: {schema: {$ref: schemas.yaml#/${name}Output}}}
${errors}`;
}

function schemasOf({ words, hasSite }: Ability): string {
  const name = schemaNameOf(words);
  const field = hasSite ? 'site_id_or_domain' : 'text';
  const input = hasSite
    ? '{$ref: ../schemas.yaml#/SiteRef}'
    : '{type: string, maxLength: 200, description: A text. Replace it by what the ability needs., examples: [hello]}';
  const [required, output] = hasSite
    ? ['site_id, site_url', 'site_id: {$ref: ../schemas.yaml#/SiteId}\n    site_url: {$ref: ../schemas.yaml#/SiteUrl}']
    : ['text', 'text: {type: string, description: The text. Replace it by the result., examples: [hello]}'];
  return `${name}Body:
  type: object
  description: Request body.
  additionalProperties: false
  required: [input]
  properties: {input: {$ref: '#/${name}Input'}}

${name}Input:
  type: object
  description: The input.
  additionalProperties: false
  required: [${field}]
  properties:
    ${field}: ${input}

${name}Output:
  type: object
  description: The result.
  additionalProperties: false
  required: [${required}]
  properties:
    ${output}
`;
}

function testOf({ id, words, hasSite }: Ability): string {
  const rejected = READS.test(words) ? `{ as: 'nobody', expect: 401 }` : `{ as: 'viewer', expect: 403 }`;
  const input = hasSite ? '{ site_id_or_domain: world.siteId(0) }' : `{ text: 'hello' }`;
  const expected = hasSite ? '{ site_id: world.siteId(0), site_url: world.site(0).url }' : `{ text: 'hello' }`;
  const unknownSite = `
  it('when no site has the ID, then the error says so', async () => {
    assert.equal((await world.ability(NAME, { site_id_or_domain: 4040 }, { expect: 404 })).code, '${SITE_NOT_FOUND}');
  });
`;
  return `import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/world.ts';

const NAME = '${id}';

describe(NAME, () => {
  let world: World;
  before(async () => (world = await startWorld(${hasSite ? '{ sites: 1 }' : ''})));
  after(() => world.close());

  it('when it is called, then it returns the result', async () => {
    assert.deepEqual(await world.ability(NAME, ${input}), ${expected});
  });
${hasSite ? unknownSite : ''}
  it('when a field is invalid, then the error names the field', async () => {
    const { data } = await world.ability(NAME, { ${hasSite ? 'site_id_or_domain' : 'text'}: [] }, { expect: 400 });
    assert.equal(data.errors[0].path, 'input.${hasSite ? 'site_id_or_domain' : 'text'}');
  });

  it('when the caller lacks the permission, then the call is rejected', async () => {
    await world.ability(NAME, ${input}, ${rejected});
  });
});
`;
}
