import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/** One import: the importing file and what it names, both from the root of the project. */
interface Import {
  from: string;
  to: string;
}

const ROOT = join(import.meta.dirname, '..');

function importsOf(file: string, text: string): Import[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({
    from: file,
    to: fileName.startsWith('.') ? normalize(join(dirname(file), fileName)) : fileName,
  }));
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));
const imports = sources.flatMap((file) => importsOf(file, readFileSync(join(ROOT, file), 'utf8')));

/** `src/domains/sites/site.ts` → `domains/sites`, `src/http/errors.ts` → `http`, `src/app.ts` → `app`. */
function partOf(file: string): string {
  const [, first = '', second = ''] = file.split('/');
  if (first === 'domains' || first === 'surfaces') return second.endsWith('.ts') ? first : `${first}/${second}`;
  return first.replace(/\.ts$/, '');
}

const isOurs = (name: string): boolean => name.startsWith('src/');
const isGenerated = (name: string): boolean => name.startsWith('generated/');
const DIALLING = new Set([
  'got',
  'node:net',
  'node:tls',
  'node:http',
  'node:https',
  'node:dns',
  'node:dns/promises',
  'net',
  'tls',
  'http',
  'https',
  'dns',
]);
/** What may be imported from where, beside the own folder. */
const MAY_IMPORT: Record<string, RegExp> = {
  http: /^shared$/,
  connector: /^(shared|outbound)$/,
  outbound: /^shared$/,
  queue: /^(db|shared)$/,
  db: /^shared$/,
  shared: /^$/,
  sandbox: /^$/,
  config: /^(db|shared)$/,
  app: /^(http|surfaces\/v2|shared)$/,
  services: /^domains\/.*$/,
  surfaces: /^http$/,
  'surfaces/abilities': /^(services|domains\/.*|http|shared|surfaces)$/,
  'surfaces/v2': /^(services|domains\/.*|http|shared|surfaces)$/,
};
const DOMAIN = /^(connector|outbound|queue|db|shared|domains\/.*)$/;

/** A query builder is called with the name of a table. */
const speaksSql = (text: string): boolean =>
  /(?:\bknex|\btrx|\bdb|#knex|#db)(?:<[^()]*>)?\(\s*['"`]|\.raw\(/.test(text);

/** Imports that are still there when the types are gone, by statement, by call, and by a `require` that was made. */
const AT_RUN_TIME =
  /(?:^(?:import|export)\s(?!type\s)(?:[^;']*\sfrom\s)?|\bimport\(|createRequire\([^'\n]*\)\()'([^']+)'/gm;

type Rule = (each: Import) => string | null;

const rules: Record<string, Rule> = {
  'folders import only what lies below them': ({ from, to }) => {
    if (!isOurs(to)) return null;
    const [source, target] = [partOf(from), partOf(to)];
    if (source === target || ['main', 'drain', 'container', 'core', 'cli'].includes(source)) return null;
    const allowed = source.startsWith('domains/') ? DOMAIN : MAY_IMPORT[source];
    return allowed?.test(target) ? null : `${source} may not import ${target}`;
  },
  'domains know of the connector its interface, of each other the door, of the queue the door': ({ from, to }) => {
    if (!partOf(from).startsWith('domains/') || partOf(from) === partOf(to) || !isOurs(to)) return null;
    const target = partOf(to);
    if (target === 'connector') return to === 'src/connector/child-site.ts' ? null : 'only child-site.ts';
    if (target === 'outbound')
      return partOf(from) === 'domains/uptime' && to === 'src/outbound/outbound.ts'
        ? null
        : 'only uptime, and only outbound.ts';
    if (target === 'queue' || target.startsWith('domains/')) return to.endsWith('/index.ts') ? null : 'only index.ts';
    return null;
  },
  'only the surfaces read what is generated': ({ from, to }) =>
    isGenerated(to) && !/^(surfaces|sdk)/.test(partOf(from)) ? 'generated' : null,
  'only app.ts and http/ know Express': ({ from, to }) =>
    /^(express|express-openapi-validator|passport|helmet)$/.test(to) &&
    !['app', 'http', 'container'].includes(partOf(from))
      ? to
      : null,
  'only outbound/ dials': ({ from, to }) =>
    DIALLING.has(to) && !['outbound', 'sandbox', 'sdk', 'main', 'http'].includes(partOf(from)) ? to : null,
  'only container.ts and the entry points wire': ({ from, to }) =>
    (to === 'src/container.ts' || to === 'src/core.ts') && !['main', 'drain', 'cli', 'container'].includes(partOf(from))
      ? 'the container'
      : null,
};

function violations(rule: Rule, all: readonly Import[]): string[] {
  return all.flatMap((each) => {
    const problem = rule(each);
    return problem ? [`${each.from} imports ${each.to}: ${problem}`] : [];
  });
}

describe('architecture', () => {
  for (const [title, rule] of Object.entries(rules)) it(title, () => assert.deepEqual(violations(rule, imports), []));

  it('has no cycles between domains', () => assert.deepEqual(cyclesIn(imports), []));

  it('lets sites depend on no other domain', () =>
    assert.deepEqual(
      imports.filter(
        ({ from, to }) => partOf(from) === 'domains/sites' && /^domains\/(?!sites$)/.test(isOurs(to) ? partOf(to) : ''),
      ),
      [],
    ));

  it('imports at run time what is installed without devDependencies', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
    const packages = sources
      .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(AT_RUN_TIME)])
      .map(([, name = '']) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
      .filter((name) => !/^(\.|node:)/.test(name));
    assert.ok(packages.includes('knex') && packages.includes('@photostructure/sqlite'), 'the test sees them');
    assert.deepEqual(
      [...new Set(packages)].filter((name) => !Object.hasOwn(dependencies, name)),
      [],
    );
  });

  it('reads the environment in config.ts alone', () => {
    const readers = sources.filter((file) => /process\.env\b/.test(readFileSync(join(ROOT, file), 'utf8')));
    assert.deepEqual(readers, ['src/config.ts']);
  });

  it('speaks SQL in repositories, read models, sections, logs, stores and db/ alone', () => {
    const speakers = sources.filter((file) => speaksSql(readFileSync(join(ROOT, file), 'utf8')));
    const strays = speakers.filter(
      (file) => partOf(file) !== 'db' && !/-(repository|read-model|section|log|store)\.ts$/.test(file),
    );
    assert.deepEqual(strays, []);
    assert.ok(speaksSql(`await knex('sites').where({ id })`) && speaksSql(`this.#db<Row>('sites')`));
  });

  it('sees a planted violation of each rule', () => {
    const planted: Import[] = [
      { from: 'src/http/x.ts', to: 'src/domains/sites/index.ts' },
      { from: 'src/domains/tags/x.ts', to: 'src/domains/sites/site.ts' },
      { from: 'src/domains/tags/x.ts', to: 'generated/v2.ts' },
      { from: 'src/domains/tags/x.ts', to: 'express' },
      { from: 'src/domains/tags/x.ts', to: 'got' },
      { from: 'src/app.ts', to: 'src/container.ts' },
    ];
    for (const [title, rule] of Object.entries(rules))
      assert.ok(violations(rule, planted).length > 0, `The rule "${title}" sees nothing.`);
    assert.equal(
      cyclesIn([
        { from: 'src/domains/a/x.ts', to: 'src/domains/b/index.ts' },
        { from: 'src/domains/b/x.ts', to: 'src/domains/a/index.ts' },
      ]).length,
      1,
    );
  });

  it('reads imports of every form', () => {
    const text = `import a from './a.ts';\nexport * from '../b.ts';\nimport type { C } from './c.ts';\nawait import('./d.ts');`;
    const found = importsOf('src/x/file.ts', text).map(({ to }) => to);
    assert.deepEqual(found, ['src/x/a.ts', 'src/b.ts', 'src/x/c.ts', 'src/x/d.ts']);
    assert.equal(relative(ROOT, join(ROOT, 'src')), 'src');
  });
});

function cyclesIn(all: readonly Import[]): string[] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of all) {
    if (!isOurs(to)) continue;
    const [source, target] = [partOf(from), partOf(to)];
    if (source !== target && source.startsWith('domains/') && target.startsWith('domains/'))
      edges.set(source, (edges.get(source) ?? new Set()).add(target));
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (part: string, path: readonly string[]): void => {
    if (path.includes(part)) return void cycles.push([...path.slice(path.indexOf(part)), part].join(' → '));
    if (done.has(part)) return;
    for (const next of edges.get(part) ?? []) visit(next, [...path, part]);
    done.add(part);
  };
  for (const part of edges.keys()) visit(part, []);
  return cycles;
}
