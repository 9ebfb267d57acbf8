import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { validate } from '@readme/openapi-parser';
import openapiTS, { astToString } from 'openapi-typescript';
import { parse } from 'yaml';
import { redocly } from '../../scripts/contract/bundle.ts';
import { SURFACES, type Surface } from '../../src/contract/surfaces.ts';
import { isAlternativeVerb, componentNameOf, operationsOf, type ContractOperation } from '../../src/contract/index.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

// The test compares documents of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

const sourceOf = (surface: Surface): string => resolve('openapi', surface, 'openapi.yaml');

const ADDED = new Set(['example', 'examples', 'x-example', 'x-also', 'description']);

/** Returns a node without the parts that the build can add: examples and final paragraphs of descriptions. */
function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== 'object' || node === null) return node;
  const { properties, ...rest } = node as Record<string, unknown>;
  const keys = Object.entries(rest).filter(([key]) => !ADDED.has(key));
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, bare(field)]);
  return {
    ...Object.fromEntries(keys.map(([key, value]) => [key, bare(value)])),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
  };
}

const EXAMPLES = new Set(['example', 'examples', 'x-example']);

/** Returns all descriptions with their places, but not those in examples. */
function descriptionsOf(node: unknown, at = ''): [string, string][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]): [string, string][] => {
    if (EXAMPLES.has(key) && !at.endsWith('/properties')) return [];
    return key === 'description' && typeof value === 'string' ? [[at, value]] : descriptionsOf(value, `${at}/${key}`);
  });
}

/** Paragraphs that the build adds: codes of an operation or a shared response, the table of codes, a deprecation. */
const ADDED_PARAGRAPH =
  /^(?:Errors: \d{3} `|(?:Every operation|Operations with a request body|Every operation but GET|Operations of a module): `|\| code \| status \| meaning \||Deprecated)/;

/** An operation without its input and its headers, which depend on the verb. */
function bareOfTransport(operation: Loose): unknown {
  const { operationId: _id, parameters: _parameters, requestBody: _body, responses, ...rest } = operation;
  const bodies = Object.entries<Loose>(responses).filter(([status]) => /^2/.test(status));
  return { ...rest, answers: bodies.map(([status, response]) => [status, response.content]) };
}

describe('sources of the contract', () => {
  let folder: string;
  const bundles = {} as Record<Surface, Loose>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-plain-'));
    await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
    const config = ['--config', join(folder, 'redocly.yaml')];
    for (const surface of SURFACES) {
      await redocly('bundle', sourceOf(surface), '-o', join(folder, `${surface}.json`), ...config);
      bundles[surface] = JSON.parse(await readFile(join(folder, `${surface}.json`), 'utf8'));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const surface of SURFACES)
    describe(surface, () => {
      it('when Redocly lints the sources without our plugin, then it reports only what the ignore file lists', async () => {
        const ignored = parse(await readFile('.redocly.lint-ignore.yaml', 'utf8'));
        const rules = (ignored[`openapi/${surface}/openapi.yaml`] ?? {}) as Record<string, string[]>;
        await writeFile(
          join(folder, '.redocly.lint-ignore.yaml'),
          JSON.stringify({ [sourceOf(surface)]: rules, [`../..${sourceOf(surface)}`]: rules }),
        );
        const strict = Object.keys(rules).map((rule) => `${rule}: error`);
        await writeFile(join(folder, 'strict.yaml'), `extends: [recommended-strict]\nrules: {${strict.join(', ')}}\n`);
        await redocly('lint', sourceOf(surface), '--config', join(folder, 'strict.yaml'));
      });

      it('when swagger-parser and the parser of ReadMe validate the sources, then both pass', async () => {
        await SwaggerParser.validate(sourceOf(surface));
        assert.deepEqual(await validate(sourceOf(surface)), { valid: true, warnings: [], specification: 'OpenAPI' });
      });

      it('when openapi-typescript reads the sources, then it generates types of every operation', async () => {
        const types = astToString(await openapiTS(new URL(`file://${sourceOf(surface)}`)));
        for (const { operation } of operationsOf(bundles[surface]))
          assert.ok(types.includes(operation.operationId), operation.operationId);
      });

      it('when the sources are bundled without our plugin, then operations and components equal the served ones', () => {
        const served = readContract(surface) as Loose;
        const plain = bundles[surface];
        const further = operationsOf(served).filter(({ operation }) => isAlternativeVerb(operation));
        const own = structuredClone(served);
        for (const { path, verb } of further) delete own.paths[path][verb];
        assert.deepEqual(bare(plain.paths), bare(own.paths));
        assert.deepEqual(bare({ ...plain, paths: {}, components: {} }), bare({ ...own, paths: {}, components: {} }));
        const { schemas, ...components } = plain.components;
        const { schemas: servedSchemas, ...servedComponents } = served.components;
        assert.deepEqual(bare(components), bare(servedComponents));
        // An alternative verb of an ability can need its own body schema.
        const bodies = further.map(({ operation }) => componentNameOf(bodyOf(operation)));
        for (const [name, schema] of Object.entries(servedSchemas))
          if (schemas[name]) assert.deepEqual(bare(schema), bare(schemas[name]), name);
          else assert.ok(bodies.includes(name), name);
        assert.deepEqual(
          Object.keys(schemas).filter((name) => !servedSchemas[name]),
          [],
        );
      });

      it('when the build changes a description, then it only adds paragraphs of codes or of a deprecation', () => {
        const own = new Map(descriptionsOf(bundles[surface]));
        const document = structuredClone(readContract(surface)) as Loose;
        for (const { path, verb, operation } of operationsOf(document))
          if (isAlternativeVerb(operation)) delete document.paths[path][verb];
        // Another test says which schemas an alternative verb may add.
        for (const name of Object.keys(document.components.schemas))
          if (!bundles[surface].components.schemas[name]) delete document.components.schemas[name];
        const served = descriptionsOf(document);
        const places = new Set(served.map(([at]) => at));
        assert.deepEqual(
          [...own.keys()].filter((at) => !places.has(at)),
          [],
        );
        for (const [at, description] of served) {
          const written = own.get(at) ?? '';
          assert.ok(description.startsWith(written), at);
          for (const paragraph of description.slice(written.length).split('\n\n').filter(Boolean))
            assert.match(paragraph, ADDED_PARAGRAPH, at);
        }
      });

      it('when an operation names further verbs, then exactly these are served as copies of it', () => {
        const served = operationsOf(readContract(surface));
        const named = operationsOf(bundles[surface]).flatMap(({ path, operation }) =>
          ((operation as Loose)['x-also'] ?? []).map(
            (verb: string) => `${verb} ${path} ${operation.operationId}__${verb}`,
          ),
        );
        const copies = served.filter(({ operation }) => isAlternativeVerb(operation));
        assert.deepEqual(
          copies.map(({ verb, path, operation }) => `${verb} ${path} ${operation.operationId}`).sort(),
          named.sort(),
        );
        for (const { verb, operation } of copies) {
          const original = served.find((one) => `${one.operation.operationId}__${verb}` === operation.operationId);
          assert.deepEqual(bareOfTransport(operation), bareOfTransport(original?.operation), operation.operationId);
        }
      });

      it('when a component has a name, then the name has at most 40 characters', () => {
        for (const [kind, named] of Object.entries(readContract(surface).components))
          for (const name of Object.keys(named)) assert.ok(name.length <= 40, `${kind} ${name}`);
      });

      it('when a response is an error, then it is a reference to a shared response', () => {
        for (const { operation } of operationsOf(bundles[surface]))
          for (const [status, response] of Object.entries(operation.responses))
            if (Number(status) >= 400)
              assert.match(response.$ref ?? '', /^#\/components\/responses\/[A-Z][A-Za-z]+$/, operation.operationId);
      });
    });

  it('when the sources use an extension key, then openapi/README.md explains it and no other key', async () => {
    const texts: string[] = [];
    for (const part of [...SURFACES, 'shared'])
      for (const file of await readdir(join('openapi', part), { recursive: true }))
        if (file.endsWith('.yaml')) texts.push(await readFile(join('openapi', part, file), 'utf8'));
    const used = new Set(texts.join('\n').match(/(?<![\w-])x-[a-zA-Z-]+(?=:)/g));
    const readme = await readFile('openapi/README.md', 'utf8');
    const explained = [...readme.matchAll(/^\| `(x-[a-z-]+)` \|/gm)].map(([, key]) => key);
    assert.deepEqual([...used].sort(), [...explained, 'x-traitTag'].sort());
    assert.equal(explained.length, 18);
  });
});

const bodyOf = ({ requestBody }: ContractOperation): object => requestBody?.content['application/json']?.schema ?? {};
