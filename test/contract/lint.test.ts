import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { redocly } from '../../scripts/contract/bundle.ts';

// Faults are planted in contracts of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

const PLUGIN = resolve('scripts/contract/plugin/index.mjs');
const RULES = [
  'operation-id-form',
  'errors-listed',
  'properties-described',
  'no-defaults-beside-refs',
  'examples-present',
  'response-examples',
  'closed-objects',
  'known-extensions',
  'ability-facts',
  'known-permission',
  'known-effect',
  'sized-inputs',
  'deprecations',
  'plain-booleans',
  'one-kind',
  'exclusive-variants',
  'named-shapes',
  'one-error-model',
  'agreeing-parameters',
  'complete-filters',
] as const;
type Rule = (typeof RULES)[number];

/** Returns a contract that follows every rule. */
function cleanContract(): Loose {
  const media = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' }, example: { name: 'a' } } };
  const failed = {
    description: 'Failed.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, example: {} } },
  };
  const errors = Object.fromEntries(
    ['400', '401', '403', '404', '408', '429', '431', '500', '503'].map((status) => [status, failed]),
  );
  const responses = { 200: { description: 'Done.', content: media }, ...errors };
  const described = { description: 'Gets a thing.', 'x-permission': 'tags:read' };
  const query = { name: 'page', in: 'query', description: 'Which.', schema: { type: 'integer' }, example: 1 };
  return {
    openapi: '3.1.0',
    info: { title: 'Planted', version: '1.0.0' },
    paths: {
      '/svc/get-thing-v1/run': {
        'x-ability': { category: 'svc-things', readonly: true, destructive: false, idempotent: true },
        get: { operationId: 'get-thing-v1', ...described, parameters: [query], responses },
        post: { operationId: 'get-thing-v1__post', ...described, requestBody: { content: media }, responses },
      },
      '/things': { get: { operationId: 'things_list', 'x-permission': 'tags:read', responses } },
    },
    components: {
      schemas: {
        ApiError: { type: 'object', additionalProperties: false, description: 'An error.' },
        Name: { type: 'string', maxLength: 50, description: 'A name.', examples: ['a'] },
        Thing: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          'x-aliases': { title: 'name' },
          properties: { name: { allOf: [{ $ref: '#/components/schemas/Name' }], default: 'a' } },
        },
      },
    },
  };
}

const ability = (contract: Loose): Loose => contract.paths['/svc/get-thing-v1/run'];
const route = (contract: Loose): Loose => contract.paths['/things'].get;
const thing = (contract: Loose): Loose => contract.components.schemas.Thing;
const described = { type: 'object', additionalProperties: false, description: 'One.' };
/** Changes the response to one of two objects with these required fields. */
const either = (contract: Loose, one: Loose, other: Loose): void => {
  const of = (properties: Loose): Loose => ({ ...described, required: Object.keys(properties), properties });
  Object.assign(contract.components.schemas, { One: of(one), Other: of(other) });
  const oneOf = ['One', 'Other'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  contract.components.schemas.Either = { description: 'Either.', oneOf };
};
/** Adds an operation that writes. */
const writes = (contract: Loose, verb: string, effect?: string): void => {
  const operation = {
    ...route(contract),
    operationId: 'things_write',
    'x-permission': 'tags:write',
    ...(effect && { 'x-effect': effect }),
  };
  contract.paths['/things'][verb] = operation;
};
const deprecate = (node: Loose, otherwise: Loose = {}): void => {
  node['x-deprecation'] = { since: '2026-12-01', sunset: '2027-06-01', replacement: 'get-thing-v1', ...otherwise };
};
const flag = { type: 'boolean', description: 'Whether.' };

const PLANTED: [rule: Rule, message: RegExp, plant: (contract: Loose) => void][] = [
  ['operation-id-form', /no operationId/, (c) => delete route(c).operationId],
  ['operation-id-form', /must be get-thing-v1/, (c) => (ability(c).get.operationId = 'get-things-v1')],
  [
    'operation-id-form',
    /ends in __put, but the verb is post/,
    (c) => (ability(c).post.operationId = 'get-thing-v1__put'),
  ],
  ['operation-id-form', /<domain>_<verb>/, (c) => (route(c).operationId = 'listThings')],
  ['errors-listed', /Leave it out/, (c) => (route(c)['x-errors'] = [])],
  ['errors-listed', /x-errors lists the codes/, (c) => (route(c)['x-errors'] = 'svc_tag_not_found')],
  ['errors-listed', /No 2xx answer/, (c) => (route(c).responses = {})],
  [
    'errors-listed',
    /404 is missing: svc_tag_not_found/,
    (c) => {
      route(c)['x-errors'] = ['svc_tag_not_found'];
      delete route(c).responses[404];
    },
  ],
  ['errors-listed', /429 is missing: every operation/, (c) => delete route(c).responses[429]],
  ['errors-listed', /Unknown code svc_tag_lost/, (c) => (route(c)['x-errors'] = ['svc_tag_lost'])],
  [
    'properties-described',
    /Property size has no description/,
    (c) => (thing(c).properties.size = { type: 'integer', examples: [1] }),
  ],
  [
    'no-defaults-beside-refs',
    /No default beside the \$ref of name/,
    (c) => (thing(c).properties.name = { $ref: '#/components/schemas/Name', default: 'a' }),
  ],
  ['examples-present', /Property name has no example/, (c) => delete c.components.schemas.Name.examples],
  [
    'examples-present',
    /body has no example/,
    (c) => delete ability(c).post.requestBody.content['application/json'].example,
  ],
  [
    'response-examples',
    /response has no example/,
    (c) => delete route(c).responses[200].content['application/json'].example,
  ],
  ['examples-present', /Parameter page has no example/, (c) => delete ability(c).get.parameters[0].example],
  ['closed-objects', /must say additionalProperties/, (c) => delete thing(c).additionalProperties],
  ['closed-objects', /No allOf/, (c) => (thing(c).allOf = [{ type: 'object', additionalProperties: false }])],
  ['closed-objects', /required names size/, (c) => thing(c).required.push('size')],
  ['closed-objects', /x-aliases points to size/, (c) => (thing(c)['x-aliases'] = { title: 'size' })],
  ['known-extensions', /Unknown key x-surprise/, (c) => (route(c)['x-surprise'] = true)],
  ['ability-facts', /x-ability.idempotent is missing/, (c) => delete ability(c)['x-ability'].idempotent],
  [
    'ability-facts',
    /changes state answers GET/,
    (c) => {
      ability(c)['x-ability'].readonly = false;
      for (const verb of ['get', 'post'] as const) ability(c)[verb]['x-permission'] = 'tags:write';
    },
  ],
  ['ability-facts', /needs a description/, (c) => delete ability(c).get.description],
  ['known-effect', /x-effect must be one of changes, destroys/, (c) => writes(c, 'post', 'eats')],
  ['known-effect', /A DELETE needs x-effect/, (c) => writes(c, 'delete')],
  ['known-effect', /A read has no x-effect/, (c) => (route(c)['x-effect'] = 'installs')],
  [
    'known-effect',
    /A destructive ability needs no x-effect/,
    (c) => {
      const facts = { ...ability(c)['x-ability'], readonly: false, destructive: true };
      const { get: _, post } = ability(c);
      const operation = { ...post, operationId: 'drop-thing-v1', 'x-permission': 'tags:write', 'x-effect': 'destroys' };
      c.paths['/svc/drop-thing-v1/run'] = { 'x-ability': facts, post: operation };
    },
  ],
  ['known-permission', /must be in shared\/permissions/, (c) => delete route(c)['x-permission']],
  ['known-permission', /must be in shared\/permissions/, (c) => delete ability(c).get['x-permission']],
  ['known-permission', /must be in shared\/permissions/, (c) => (route(c)['x-permission'] = 'tags:eat')],
  ['known-permission', /must have one of the scopes read/, (c) => (route(c)['x-permission'] = 'tags:write')],
  ['known-permission', /must have one of the scopes read/, (c) => (ability(c).post['x-permission'] = 'tags:write')],
  ['sized-inputs', /body.name needs maxLength/, (c) => delete c.components.schemas.Name.maxLength],
  ['sized-inputs', /page needs maxItems/, (c) => (ability(c).get.parameters[0].schema = { type: 'array' })],
  [
    'sized-inputs',
    /page\[\] needs maxLength/,
    (c) => (ability(c).get.parameters[0].schema = { type: 'array', maxItems: 9, items: { type: 'string' } }),
  ],
  ['sized-inputs', /body needs maxProperties/, (c) => (thing(c).additionalProperties = true)],
  ['deprecations', /Say x-deprecation/, (c) => (route(c).deprecated = true)],
  ['deprecations', /sunset is missing/, (c) => deprecate(route(c), { sunset: undefined })],
  ['deprecations', /unknown key until/, (c) => deprecate(route(c), { until: '2027-06-01' })],
  ['deprecations', /since must be a day/, (c) => deprecate(route(c), { since: '2026-02-30' })],
  [
    'deprecations',
    /must be later than 2026-12-01/,
    (c) => deprecate(thing(c).properties.name, { sunset: '2026-12-01' }),
  ],
  ['deprecations', /id of an operation, or a sentence/, (c) => deprecate(route(c), { replacement: 'Nothing' })],
  ['deprecations', /things_all, which does not exist/, (c) => deprecate(route(c), { replacement: 'things_all' })],
  [
    'deprecations',
    /which is deprecated itself/,
    (c) => {
      deprecate(route(c));
      deprecate(ability(c).get, { replacement: 'things_list' });
    },
  ],
  ['plain-booleans', /no const or enum/, (c) => (thing(c).properties.done = { ...flag, const: true })],
  ['plain-booleans', /no const or enum/, (c) => (thing(c).properties.done = { ...flag, enum: [true] })],
  [
    'one-kind',
    /anyOf instead of the types object and null/,
    (c) =>
      (thing(c).properties.data = {
        type: ['object', 'null'],
        maxProperties: 9,
        additionalProperties: true,
        description: 'Data.',
      }),
  ],
  [
    'one-kind',
    /anyOf instead of the types array and object/,
    (c) => (c.components.schemas.Data = { type: ['array', 'object'], items: {}, additionalProperties: true }),
  ],
  ['one-kind', /types string and integer/, (c) => (c.components.schemas.Name.type = ['string', 'integer'])],
  [
    'one-kind',
    /null in an enum/,
    (c) => (thing(c).properties.size = { type: ['string', 'null'], enum: ['a', null], description: 'Size.' }),
  ],
  [
    'one-kind',
    /null is anyOf/,
    (c) => (c.components.schemas.Data = { oneOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] }),
  ],
  ['exclusive-variants', /Nothing tells the variant/, (c) => either(c, { done: flag }, { done: flag, queued: flag })],
  [
    'exclusive-variants',
    /Nothing tells the variant/,
    (c) => either(c, { done: { ...flag, type: ['boolean', 'null'] } }, { queued: flag }),
  ],
  [
    'named-shapes',
    /The body has no name/,
    (c) => (route(c).responses[200].content['application/json'].schema = { type: 'string' }),
  ],
  [
    'named-shapes',
    /The object has no name/,
    (c) => (thing(c).properties.size = { ...described, properties: { done: flag } }),
  ],
  [
    'named-shapes',
    /Names is a list with a default/,
    (c) =>
      (c.components.schemas.Names = { type: 'array', items: { type: 'string' }, default: [], description: 'Names.' }),
  ],
  ['named-shapes', /HTTP client/, (c) => (c.components.schemas.Client = described)],
  ['named-shapes', /more than 40 letters/, (c) => (c.components.schemas[`Thing${'s'.repeat(36)}`] = described)],
  [
    'named-shapes',
    /ThingMaxSize is how generators call the type of Thing.max_size/,
    (c) => {
      c.components.schemas.ThingMaxSize = described;
      thing(c).properties.max_size = { type: 'string', enum: ['a'], description: 'Size.' };
    },
  ],
  ['named-shapes', /constructor of Thing/, (c) => (c.components.schemas.NewThing = described)],
  [
    'named-shapes',
    /Label is another name of Name/,
    (c) => (c.components.schemas.Label = { $ref: '#/components/schemas/Name', description: 'What it is called.' }),
  ],
  [
    'one-error-model',
    /NotFound has another model/,
    (c) => (c.components.responses = { NotFound: { description: 'No.' } }),
  ],
  [
    'agreeing-parameters',
    /page is .*string/,
    (c) =>
      (route(c).parameters = [
        { name: 'page', in: 'query', description: 'Which.', schema: { type: 'string', maxLength: 9 }, example: '1' },
      ]),
  ],
  [
    'complete-filters',
    /Add b to KindFilter: Kind has it/,
    (c) => {
      const kind = { type: 'string', description: 'Kind.' };
      c.components.schemas.Kind = { ...kind, 'x-extensible-enum': ['a', 'b'] };
      c.components.schemas.KindFilter = { ...kind, enum: ['any', 'a'] };
    },
  ],
];

describe('lint rules of the contract', () => {
  let folder: string;
  let clean: string;
  const findings: string[][] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-lint-'));
    const rules = Object.fromEntries(RULES.map((rule) => [`sitefleet/${rule}`, 'error']));
    await writeFile(join(folder, 'redocly.yaml'), JSON.stringify({ plugins: [PLUGIN], rules }));
    const lint = async (name: string, contract: Loose): Promise<string> => {
      const file = join(folder, name);
      await writeFile(file, JSON.stringify(contract));
      return file;
    };
    clean = await lint('clean.json', cleanContract());
    const files: string[] = [];
    for (const [index, [, , plant]] of PLANTED.entries()) {
      const contract = structuredClone(cleanContract());
      // A copy, so that a change in a shared part of the clean contract is not planted twice.
      const own = JSON.parse(JSON.stringify(contract));
      plant(own);
      files.push(await lint(`planted-${index}.json`, own));
    }
    const text = await run(folder, files);
    for (const index of PLANTED.keys())
      findings.push(text.split('\n').filter((line) => line.startsWith('::') && line.includes(`planted-${index}.json`)));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('when a contract follows all rules, then lint passes', async () => {
    assert.doesNotMatch(await run(folder, [clean]), /sitefleet/);
  });

  for (const [index, [rule, message]] of PLANTED.entries())
    it(`when a fault is planted, then ${rule} fires: ${message.source}`, () => {
      const found = findings[index] ?? [];
      assert.ok(
        found.some((line) => line.includes(`sitefleet/${rule}`) && message.test(line)),
        found.join('\n') || 'nothing was found',
      );
      for (const line of found) assert.ok(line.includes(`sitefleet/${rule}`), line);
    });

  it('when the sources are linted, then all rules are enabled and each has a test', async () => {
    assert.deepEqual([...new Set(PLANTED.map(([rule]) => rule))].sort(), [...RULES].sort());
    const { default: plugin } = (await import(pathToFileURL(PLUGIN).href)) as {
      default: () => { rules: { oas3: object } };
    };
    assert.deepEqual(Object.keys(plugin().rules.oas3).sort(), [...RULES].sort());
    const files = ['redocly.yaml', 'scripts/contract/served.redocly.yaml'];
    const config = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    for (const rule of RULES) assert.match(config, new RegExp(`sitefleet/${rule}: error`));
  });
});

/** Returns one line per finding: file, rule and message. */
async function run(folder: string, files: string[]): Promise<string> {
  try {
    await redocly(
      'lint',
      ...files,
      '--config',
      join(folder, 'redocly.yaml'),
      '--format',
      'github-actions',
      '--max-problems',
      '1000',
    );
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
