import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { RequestHandler } from 'express';
import {
  resolveReferenceChains,
  memoizePathPatterns,
  skipParsedParameters,
  PATCHED_VERSION,
  replaceSecurityStep,
} from '../../src/http/validator-seams.ts';
import { startSmallApp } from './small-app.ts';

const LOOK = '/abilities/v1/svc/look-around-v1/run';
const require = createRequire(import.meta.url);
const insideValidator = createRequire(require.resolve('express-openapi-validator'));

describe('patches of express-openapi-validator', () => {
  it('when the validator is installed, then its version is the patched version', () => {
    const { dependencies } = require('../../package.json') as { dependencies: Record<string, string> };
    const installed = require('express-openapi-validator/package.json') as { version: string };
    assert.deepEqual(
      [dependencies['express-openapi-validator'], installed.version],
      [PATCHED_VERSION, PATCHED_VERSION],
    );
  });

  it('when the security steps of the validator are found, then they are replaced, otherwise an error is thrown', () => {
    const step = (name: string): RequestHandler => Object.defineProperty(() => undefined, 'name', { value: name });
    const steps = ['pathParamsMiddleware', 'metadataMiddleware', 'securityMiddleware', 'x'].map(step);
    const admission = step('admission');
    const names = replaceSecurityStep(steps, admission).map(({ name }) => name);
    assert.deepEqual(names, ['metadataMiddleware', 'admission', 'x']);
    assert.throws(() => replaceSecurityStep(steps.slice(0, 2), admission), /other steps/);
  });

  interface Compiling {
    prototype: { addSchema: (...given: unknown[]) => unknown };
  }
  const { default: Ajv } = insideValidator('ajv/dist/2020') as { default: Compiling };

  it('when 200 different content types arrive, then no additional schema is compiled', async () => {
    const app = await startSmallApp();
    const { addSchema } = Ajv.prototype;
    // The validator adds and compiles a schema for each key of its cache.
    let compiled = 0;
    Ajv.prototype.addSchema = function (...given) {
      compiled++;
      return addSchema.apply(this, given);
    };
    try {
      const body = '{"input": {"page": 2}}';
      await app.call('GET', '/api/v2/things');
      compiled = 0;
      await app.call('POST', LOOK, { body });
      await app.call('GET', LOOK);
      assert.ok(compiled > 0, 'the count sees what is compiled');
      compiled = 0;
      for (let index = 0; index < 200; index++) {
        const type = `application/json; x=${index}`;
        const posted = await app.call('POST', LOOK, { headers: { 'content-type': type }, body });
        const read = await app.call('GET', LOOK, { headers: { 'content-type': `foo/bar${index}` } });
        assert.deepEqual([posted.status, read.status], [200, 200]);
      }
      assert.equal(compiled, 0);
    } finally {
      Ajv.prototype.addSchema = addSchema;
      await app.close();
    }
  });

  it('when a path pattern is requested again, then the same object is returned', () => {
    interface Library {
      pathToRegexp: (path: string, options?: object) => { regexp: RegExp };
    }
    const library = insideValidator('path-to-regexp') as Library;
    memoizePathPatterns();
    const first = library.pathToRegexp;
    memoizePathPatterns();
    assert.equal(library.pathToRegexp, first, 'it is wrapped once');
    const once = library.pathToRegexp('/kept/:id', { sensitive: true });
    assert.equal(library.pathToRegexp('/kept/:id', { sensitive: true }), once);
    assert.notEqual(library.pathToRegexp('/kept/:id', { sensitive: false }), once);
    assert.notEqual(library.pathToRegexp('/kept/:other', { sensitive: true }), once);
    assert.ok(once.regexp.test('/kept/1') && !once.regexp.test('/Kept/1'));
  });

  it('when a query has strings and objects, then only strings are parsed as JSON', () => {
    interface Mutator {
      parseJsonAndMutateRequest: (request: { query: Record<string, unknown> }, place: string, name: string) => void;
    }
    const { RequestParameterMutator } = insideValidator('./middlewares/parsers/req.parameter.mutator') as {
      RequestParameterMutator: { prototype: Mutator };
    };
    const { prototype } = RequestParameterMutator;
    skipParsedParameters();
    const first = prototype.parseJsonAndMutateRequest;
    skipParsedParameters();
    assert.equal(prototype.parseJsonAndMutateRequest, first, 'it is wrapped once');
    const given = { toString: () => '{"from":"text"}' };
    const query = { object: given as unknown, text: '{"a":1}' as unknown };
    for (const name of ['object', 'text']) prototype.parseJsonAndMutateRequest({ query }, 'query', name);
    assert.deepEqual([query.object === given, query.text], [true, { a: 1 }]);
  });

  it('when a reference is resolved, then it is looked up and not compiled', () => {
    interface Preprocessor {
      prototype: { resolveSchema: (this: object, node?: object) => unknown };
    }
    const { SchemaPreprocessor } = insideValidator('./middlewares/parsers/schema.preprocessor') as {
      SchemaPreprocessor: Preprocessor;
    };
    const { prototype } = SchemaPreprocessor;
    resolveReferenceChains();
    const first = prototype.resolveSchema;
    resolveReferenceChains();
    assert.equal(prototype.resolveSchema, first, 'it is wrapped once');
    const schemas = { 'a/b': { type: 'string' }, Named: { $ref: '#/schemas/a~1b' } };
    const resolve = (node?: object): unknown => prototype.resolveSchema.call({ apiDoc: { schemas } }, node);
    assert.equal(resolve({ $ref: '#/schemas/Named' }), schemas['a/b']);
    assert.equal(resolve(schemas['a/b']), schemas['a/b']);
    assert.equal(resolve(undefined), null);
  });

  it('when an app starts, then the unused OpenAPI schema is not compiled', async () => {
    const { Ajv2020 } = insideValidator('ajv/dist/2020') as {
      Ajv2020: { prototype: { compile: (schema: { $id?: string }) => unknown } };
    };
    const { compile } = Ajv2020.prototype;
    const compiled: (string | undefined)[] = [];
    Ajv2020.prototype.compile = function (schema) {
      compiled.push(schema.$id);
      return compile.call(this, schema);
    };
    const app = await startSmallApp();
    try {
      assert.equal((await app.call('GET', LOOK)).status, 200);
      assert.deepEqual(
        compiled.filter((id) => id?.includes('openapis.org')),
        [],
      );
    } finally {
      Ajv2020.prototype.compile = compile;
      await app.close();
    }
  });

  it('when an app is set up, then references and compilers wait for the first request', async () => {
    const framework = insideValidator('./framework/ajv') as { createRequestAjv: (...given: unknown[]) => unknown };
    const parser = insideValidator('@apidevtools/json-schema-ref-parser') as {
      bundle: (...given: unknown[]) => unknown;
    };
    const app = await startSmallApp();
    const { createRequestAjv } = framework;
    const { bundle } = parser;
    const called: string[] = [];
    framework.createRequestAjv = Object.assign(
      (...given: unknown[]) => called.push('compiler') && createRequestAjv(...given),
      createRequestAjv,
    );
    parser.bundle = (...given) => called.push('parser') && bundle(...given);
    try {
      await app.warmUp();
      assert.deepEqual(called, []);
      assert.equal((await app.call('GET', LOOK)).status, 200);
      assert.ok(called.length > 0 && called.every((each) => each === 'compiler'), String(called));
    } finally {
      Object.assign(framework, { createRequestAjv });
      Object.assign(parser, { bundle });
      await app.close();
    }
  });

  it('when many requests arrive, then each path pattern is computed once', async () => {
    const app = await startSmallApp();
    const library = insideValidator('path-to-regexp') as { pathToRegexp: { (path: string): object; memoized?: true } };
    const { pathToRegexp } = library;
    const seen = new Map<string, Set<object>>();
    const spy = (path: string, ...rest: []): object => {
      const pattern = pathToRegexp(path, ...rest);
      seen.set(path, (seen.get(path) ?? new Set()).add(pattern));
      return pattern;
    };
    spy.memoized = true as const;
    library.pathToRegexp = spy;
    try {
      for (let round = 0; round < 5; round++) await app.call('GET', '/api/v2/things/a');
      assert.ok(seen.size > 0, 'the validator looks its patterns up through the seam');
      for (const [path, patterns] of seen) assert.equal(patterns.size, 1, path);
    } finally {
      library.pathToRegexp = pathToRegexp;
      await app.close();
    }
  });
});
