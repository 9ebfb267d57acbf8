import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCycles, importsOf, readFiles, ROOT, type Import } from './support/imports.ts';

const sources = readFiles('src');
/** The docs contain examples, which the service does not run. */
const generated = [...readFiles('generated')].filter(([file]) => !file.startsWith('generated/docs/'));
const imports = [...sources, ...generated].flatMap(([file, text]) => importsOf(file, text));
const importsOfTools = [...readFiles('scripts', 'test')].flatMap(([file, text]) => importsOf(file, text));

/** `src/domains/sites/site.ts` → `domains/sites`, `src/http/errors.ts` → `http`, `src/service/app.ts` → `app`. */
function partOf(file: string): string {
  const [top = '', first = '', second = ''] = file.split('/');
  if (top === 'generated') return top;
  if (first === 'platform' || first === 'service') return second.replace(/\.ts$/, '');
  if (first === 'domains' || first === 'surfaces') return second.endsWith('.ts') ? first : `${first}/${second}`;
  return first.replace(/\.ts$/, '');
}

const isOurs = (name: string): boolean => /^(src|generated)\//.test(name);
const isDomain = (name: string): boolean => name.startsWith('src/domains/');
const isIndexFile = (name: string): boolean => name.endsWith('/index.ts');
/** The file that wires a domain. */
const isWiring = (name: string): boolean => /^src\/domains\/[^/]+\/part\.ts$/.test(name);
const packageOf = (name: string): string => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;

const SURFACE = /^(services|domains\/.*|http|contract|shared|surfaces|generated)$/;
const DOMAIN = /^(part|connector|outbound|queue|db|languages|shared|domains\/.*)$/;
/** Allowed imports by folder, in addition to the own folder. */
const MAY_IMPORT: Record<string, RegExp> = {
  http: /^(contract|shared)$/,
  contract: /^shared$/,
  generated: /^$/,
  connector: /^(shared|outbound)$/,
  outbound: /^shared$/,
  browser: /^(shared|outbound)$/,
  queue: /^(db|shared)$/,
  db: /^shared$/,
  shared: /^$/,
  languages: /^$/,
  sandbox: /^$/,
  sdk: /^generated$/,
  mcp: /^(config|shared)$/,
  'contract-checks': /^(contract|generated|shared)$/,
  'client-cli': /^(sdk|contract-checks|contract|demo)$/,
  config: /^(db|shared)$/,
  'migrate-on-start': /^(db|drain|shared)$/,
  app: /^(contract|http|surfaces\/v2|shared)$/,
  services: /^service-parts$/,
  'base-services': /^(config|db|shared)$/,
  part: /^(connector|queue|db|shared)$/,
  'service-parts': /^(part|platform|connector|domains\/.*)$/,
  platform: /^(base-services|config|part|browser|connector|db|outbound|queue|shared)$/,
  surfaces: /^(http|contract|shared|generated)$/,
  'surfaces/abilities': SURFACE,
  'surfaces/v2': SURFACE,
  'surfaces/compat': SURFACE,
  'surfaces/mcp': /^(http|contract|shared|surfaces|generated)$/,
};
/** Files that wire the others and may import all of them. */
const WIRE = ['main', 'serve', 'drain', 'container', 'service-app', 'admin-cli', 'demo'];

/** Generated data, and the one file that reads it for the others. */
const DATA = [
  ['src/domains/settings/settings-registry.ts', 'generated/settings.ts'],
  ['src/contract/operation-error-codes.ts', 'generated/error-codes.ts'],
  ['src/shared/permissions.ts', 'generated/permissions.ts'],
  ['src/client-cli/call-input.ts', 'generated/field-types.ts'],
] as const;

const mayImport = (from: string, to: string): boolean => {
  const [source, target] = [partOf(from), partOf(to)];
  if (source === target || WIRE.includes(source)) return true;
  if (isWiring(from) && /^(base-services|platform)$/.test(target)) return true;
  if (DATA.some(([file, data]) => from === file && to === data)) return true;
  return (source.startsWith('domains/') ? DOMAIN : MAY_IMPORT[source])?.test(target) ?? false;
};

/** Domains that may use the network, in addition to the connector. */
const PROBING = /^domains\/(uptime|ssl-monitor|domain-monitor|perf-audit|api-backups|packages|vulnerabilities)$/;
const DRIVERS = new Set(['knex', 'mysql2', 'sqlite3', 'better-sqlite3', '@photostructure/sqlite', 'node:sqlite']);
const EXPRESS = new Set(['express', 'express-openapi-validator', 'express-rate-limit', 'passport', 'helmet']);
/** The parser of addresses in nodemailer uses no network. */
const NETWORK_MODULES =
  /^(got|nodemailer(\/(?!lib\/addressparser$).*)?|(node:)?(net|tls|http|https|http2|dgram|dns|dns\/promises))$/;

interface Rule {
  title: string;
  isBroken: (each: Import) => boolean;
  /** Imports that violate the rule. Each must be reported. */
  planted: readonly Import[];
}

const rules: readonly Rule[] = [
  {
    title: 'a folder imports only from lower layers',
    isBroken: ({ from, to }) => isOurs(to) && !mayImport(from, to),
    planted: [
      { from: 'src/domains/tags/x.ts', to: 'src/http/errors.ts' },
      { from: 'src/domains/tags/x.ts', to: 'src/surfaces/v2/tags/view.ts', typeOnly: true },
      { from: 'src/domains/tags/x.ts', to: 'src/platform/platform.ts', typeOnly: true },
      { from: 'src/domains/tags/part.ts', to: 'src/service/services.ts', typeOnly: true },
      { from: 'src/platform/platform.ts', to: 'src/domains/tags/index.ts', typeOnly: true },
      { from: 'src/service/service-parts.ts', to: 'src/http/errors.ts' },
      { from: 'src/db/x.ts', to: 'src/queue/index.ts' },
      { from: 'src/shared/x.ts', to: 'src/db/database.ts' },
      { from: 'src/connector/x.ts', to: 'src/domains/sites/index.ts' },
      { from: 'src/mcp/x.ts', to: 'src/http/mcp.ts', typeOnly: true },
      { from: 'src/surfaces/mcp/x.ts', to: 'src/domains/sites/index.ts', typeOnly: true },
      { from: 'src/a-new-folder/x.ts', to: 'src/shared/clock.ts' },
    ],
  },
  {
    title: 'http, contract and generated are leaves',
    isBroken: ({ from, to }) => /^(http|contract|generated)$/.test(partOf(from)) && isOurs(to) && !mayImport(from, to),
    planted: [
      { from: 'src/http/x.ts', to: 'src/domains/sites/index.ts', typeOnly: true },
      { from: 'src/http/x.ts', to: 'generated/v2.ts', typeOnly: true },
      { from: 'src/contract/x.ts', to: 'src/http/operation-types.ts' },
      { from: 'generated/x.ts', to: 'src/shared/clock.ts', typeOnly: true },
    ],
  },
  {
    title: 'the simulated fleet shares nothing with the connector',
    isBroken: ({ from, to }) => partOf(from) === 'sandbox' && isOurs(to) && partOf(to) !== 'sandbox',
    planted: [
      { from: 'src/sandbox/x.ts', to: 'src/connector/signing.ts' },
      { from: 'src/sandbox/x.ts', to: 'src/shared/clock.ts' },
    ],
  },
  {
    title: 'domains import other domains and the queue only through index.ts',
    isBroken: ({ from, to }) =>
      isDomain(from) && partOf(from) !== partOf(to) && /^(queue|domains\/.*)$/.test(partOf(to)) && !isIndexFile(to),
    planted: [
      { from: 'src/domains/tags/x.ts', to: 'src/domains/sites/site.ts', typeOnly: true },
      { from: 'src/domains/tags/x.ts', to: 'src/queue/queue.ts', typeOnly: true },
    ],
  },
  {
    title: 'domains import only the interface of the connector',
    isBroken: ({ from, to }) =>
      isDomain(from) && partOf(to) === 'connector' && !/^src\/connector\/child-site(\.ts|\/)/.test(to),
    planted: [
      { from: 'src/domains/tags/x.ts', to: 'src/connector/wire-child-site.ts' },
      { from: 'src/domains/tags/x.ts', to: 'src/connector/index.ts', typeOnly: true },
    ],
  },
  {
    title: 'only the parts that probe the network import outbound.ts, and nothing else of outbound/',
    isBroken: ({ from, to }) => {
      if (partOf(to) !== 'outbound' || partOf(from) === 'outbound') return false;
      if (to === 'src/outbound/outbound.ts') return !PROBING.test(partOf(from));
      return !isIndexFile(to) || isDomain(from);
    },
    planted: [
      { from: 'src/domains/tags/x.ts', to: 'src/outbound/outbound.ts' },
      { from: 'src/domains/tags/x.ts', to: 'src/outbound/index.ts', typeOnly: true },
      { from: 'src/domains/uptime/x.ts', to: 'src/outbound/tls-probe.ts' },
      { from: 'src/connector/x.ts', to: 'src/outbound/outbound.ts' },
    ],
  },
  {
    title: 'surfaces import domains only through index.ts',
    isBroken: ({ from, to }) => partOf(from).startsWith('surfaces') && isDomain(to) && !isIndexFile(to),
    planted: [
      { from: 'src/surfaces/v2/sites/routes.ts', to: 'src/domains/sites/site.ts', typeOnly: true },
      { from: 'src/surfaces/abilities/sites/view.ts', to: 'src/domains/sites/site-service.ts' },
    ],
  },
  {
    title: 'the surfaces never import each other',
    isBroken: ({ from, to }) =>
      partOf(from).startsWith('surfaces/') && partOf(to).startsWith('surfaces/') && partOf(from) !== partOf(to),
    planted: [
      { from: 'src/surfaces/v2/sites/routes.ts', to: 'src/surfaces/abilities/sites/view.ts', typeOnly: true },
      { from: 'src/surfaces/abilities/sites/routes.ts', to: 'src/surfaces/v2/sites/input.ts' },
      { from: 'src/surfaces/compat/rewrite.ts', to: 'src/surfaces/v2/index.ts' },
    ],
  },
  {
    title: 'services.ts imports only types of the parts',
    isBroken: ({ from, to, typeOnly }) =>
      from === 'src/service/services.ts' && (!typeOnly || !to.endsWith('-parts.ts')),
    planted: [
      { from: 'src/service/services.ts', to: 'src/service/service-parts.ts' },
      { from: 'src/service/services.ts', to: 'src/domains/sites/index.ts', typeOnly: true },
      { from: 'src/service/services.ts', to: 'src/db/database.ts', typeOnly: true },
    ],
  },
  {
    title: 'only db/ uses a database driver, and others import only its types',
    isBroken: ({ from, to, typeOnly }) => DRIVERS.has(packageOf(to)) && partOf(from) !== 'db' && !typeOnly,
    planted: [
      { from: 'src/domains/tags/tag-repository.ts', to: 'knex' },
      { from: 'src/queue/x.ts', to: 'mysql2/promise' },
      { from: 'src/platform/platform.ts', to: '@photostructure/sqlite' },
    ],
  },
  {
    title: 'only the surfaces, the SDK, the registry of settings and the reader of error codes import generated files',
    isBroken: ({ from, to }) =>
      partOf(to) === 'generated' && !/^(generated|surfaces|sdk)/.test(partOf(from)) && !mayImport(from, to),
    planted: [
      { from: 'src/domains/settings/x.ts', to: 'generated/settings.ts' },
      { from: 'src/contract/x.ts', to: 'generated/error-codes.ts' },
    ],
  },
  {
    title: 'only app.ts and http/ import Express, and the container only the type of the app',
    isBroken: ({ from, to, typeOnly }) =>
      EXPRESS.has(packageOf(to)) &&
      !/^(app|http)$/.test(partOf(from)) &&
      !(partOf(from) === 'container' && to === 'express' && typeOnly),
    planted: [
      { from: 'src/service/container.ts', to: 'express' },
      { from: 'src/service/container.ts', to: 'helmet', typeOnly: true },
      { from: 'src/domains/tags/x.ts', to: 'express', typeOnly: true },
      { from: 'src/surfaces/v2/tags/routes.ts', to: 'passport' },
    ],
  },
  {
    title: 'only surfaces/mcp and mcp/ import the MCP library',
    isBroken: ({ from, to }) => /^@modelcontextprotocol\//.test(to) && !/^(surfaces\/)?mcp$/.test(partOf(from)),
    planted: [{ from: 'src/http/mcp.ts', to: '@modelcontextprotocol/server', typeOnly: true }],
  },
  {
    title: 'only outbound/ imports modules that open connections',
    isBroken: ({ from, to }) =>
      NETWORK_MODULES.test(to) && !/^(outbound|sandbox|sdk|serve|http|demo)$/.test(partOf(from)),
    planted: [
      { from: 'src/connector/x.ts', to: 'got' },
      { from: 'src/domains/uptime/x.ts', to: 'node:tls' },
      { from: 'src/domains/uptime/x.ts', to: 'dns/promises' },
      { from: 'src/domains/mail/x.ts', to: 'nodemailer/lib/smtp-connection' },
    ],
  },
  {
    title: 'only the entry points import the container',
    isBroken: ({ from, to }) => partOf(to) === 'container' && !WIRE.includes(partOf(from)),
    planted: [
      { from: 'src/service/app.ts', to: 'src/service/container.ts', typeOnly: true },
      { from: 'src/http/x.ts', to: 'src/service/container.ts' },
    ],
  },
  {
    title: 'sites depends on no other domain',
    isBroken: ({ from, to }) => partOf(from) === 'domains/sites' && isDomain(to) && partOf(to) !== 'domains/sites',
    planted: [{ from: 'src/domains/sites/x.ts', to: 'src/domains/tags/index.ts', typeOnly: true }],
  },
];

const violationsOf = (rule: Rule, all: readonly Import[]): string[] =>
  all.filter((each) => rule.isBroken(each)).map(({ from, to }) => `${from} imports ${to}`);

const own = (all: readonly Import[]): Import[] => all.filter(({ to }) => /^(src|generated|scripts|test)\//.test(to));

const fileCycles = (all: readonly Import[]): string[] => findCycles(own(all).map(({ from, to }) => [from, to]));

/** Domains can depend on each other without a cycle of files, because `part.ts` joins them. */
const domainCycles = (all: readonly Import[]): string[] =>
  findCycles(
    own(all)
      .filter(({ from, to }) => isDomain(from) && isDomain(to) && partOf(from) !== partOf(to) && !isWiring(from))
      .map(({ from, to }) => [partOf(from), partOf(to)]),
  );

/** True if a text calls a query builder with a table name. */
const containsSql = (text: string): boolean =>
  /(?:\bknex|\btrx|\bdb|#knex|#db)(?:<[^()]*>)?\(\s*['"`]|\.raw\(/.test(text);

const readsEnvironment = (text: string): boolean => /\bprocess\.env\b|\benv\b[^;]*\sfrom 'node:process'/.test(text);

const filesMatching = (matches: (text: string) => boolean): string[] =>
  [...sources].filter(([, text]) => matches(text)).map(([file]) => file);

/** Interfaces of the connector with calls that change a site. */
const CHANGING_CALLS = /\b(Content|Comment|User|Inventory|Tool|Update)Calls\b/;

/**
 * Returns the files that log what a part does on sites, or that send its changes without a judgement. `sites` logs the
 * connection of a site, which is a state of its own record.
 */
function unprovenLogs(files: readonly (readonly [file: string, text: string])[]): string[] {
  const ofParts = files.filter(([file]) => isDomain(file) && partOf(file) !== 'domains/sites' && !isWiring(file));
  const changing = new Set(ofParts.filter(([, text]) => CHANGING_CALLS.test(text)).map(([file]) => partOf(file)));
  const logs = ofParts.filter(([file, text]) => changing.has(partOf(file)) && /\bChange(Log|Recorder)\b/.test(text));
  const senders = ofParts.filter(
    ([file, text]) => /\bsend(Change|AndVerify)\b/.test(text) && partOf(file) !== 'domains/updates',
  );
  return [...logs, ...senders].map(([file]) => file).sort();
}

const neededAtRunTime = (all: readonly Import[]): Set<string> =>
  new Set(
    all
      .filter(({ to, typeOnly }) => !typeOnly && !isOurs(to) && !to.startsWith('node:'))
      .map(({ to }) => packageOf(to)),
  );

/** Surfaces that consist of other surfaces and have no parts. */
const WITHOUT_PARTS = ['compat', 'mcp'];
/** Parts without a domain: one is about the contract, and one calls the domains of other parts. */
const WITHOUT_DOMAIN = ['abilities/discovery', 'v2/batch'];

/** Returns missing folders of parts, and folders that belong to no part. */
function strayFolders(foldersIn: (folder: string) => readonly string[]): string[] {
  const surfaces = foldersIn('src/surfaces').filter((surface) => !WITHOUT_PARTS.includes(surface));
  return surfaces.flatMap((surface) => {
    const parts = foldersIn(`openapi/${surface}`);
    const floors = [`src/surfaces/${surface}`, `test/${surface}`];
    const lacks = (floor: string, part: string): string[] =>
      foldersIn(floor).includes(part) ? [] : [`${floor}/${part} is missing`];
    return [
      ...(parts.length > 0 ? [] : [`openapi/${surface} is missing`]),
      ...floors.flatMap((floor) =>
        foldersIn(floor)
          .filter((folder) => !parts.includes(folder))
          .map((folder) => `${floor}/${folder} is no part`),
      ),
      ...parts.flatMap((part) => [
        ...floors.flatMap((floor) => lacks(floor, part)),
        ...(WITHOUT_DOMAIN.includes(`${surface}/${part}`) ? [] : lacks('src/domains', part)),
      ]),
    ];
  });
}

function foldersOfProject(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

describe('architecture', () => {
  for (const rule of rules) {
    it(`when the sources are read, then ${rule.title}`, () => assert.deepEqual(violationsOf(rule, imports), []));

    it(`when an import violates a rule, then it is reported: ${rule.title}`, () =>
      assert.equal(violationsOf(rule, rule.planted).length, rule.planted.length));
  }

  it('when the sources are read, then no files import each other in a cycle, types included', () =>
    assert.deepEqual(fileCycles([...imports, ...importsOfTools]), []));

  it('when the sources are read, then no domains import each other in a cycle', () =>
    assert.deepEqual(domainCycles(imports), []));

  it('when files or domains form a cycle, then it is reported once', () => {
    const planted: Import[] = [
      { from: 'src/domains/a/x.ts', to: 'src/domains/b/index.ts' },
      { from: 'src/domains/b/index.ts', to: 'src/domains/b/y.ts' },
      { from: 'src/domains/b/y.ts', to: 'src/domains/a/index.ts', typeOnly: true },
    ];
    assert.deepEqual(fileCycles(planted), []);
    assert.deepEqual(domainCycles(planted), ['domains/a → domains/b → domains/a']);
    const closed: Import[] = [...planted, { from: 'src/domains/a/index.ts', to: 'src/domains/a/x.ts', typeOnly: true }];
    assert.equal(fileCycles(closed).length, 1);
    assert.match(String(fileCycles(closed)), /a\/x\.ts → .*b\/index\.ts → .*b\/y\.ts → .*a\/index\.ts → .*a\/x\.ts/);
  });

  it('when the folders are read, then each part of a surface has its folders, and no other folder exists', () =>
    assert.deepEqual(strayFolders(foldersOfProject), []));

  it('when a part lacks a folder, or a folder has no part, then it is reported', () => {
    const planted: Record<string, string[]> = {
      'src/surfaces': ['compat', 'abilities', 'v2', 'v3'],
      'openapi/abilities': ['discovery', 'tags'],
      'src/surfaces/abilities': ['discovery', 'labels'],
      'test/abilities': ['discovery', 'tags'],
      'openapi/v2': ['batch', 'tags', 'sites'],
      'src/surfaces/v2': ['batch', 'tags', 'sites'],
      'test/v2': ['batch', 'sites', 'listing'],
      'src/domains': ['sites', 'digest'],
    };
    assert.deepEqual(
      strayFolders((folder) => planted[folder] ?? []),
      [
        'src/surfaces/abilities/labels is no part',
        'src/surfaces/abilities/tags is missing',
        'src/domains/tags is missing',
        'test/v2/listing is no part',
        'test/v2/tags is missing',
        'src/domains/tags is missing',
        'openapi/v3 is missing',
      ],
    );
  });

  it('when devDependencies are left out, then all packages needed at run time are installed', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
    const needed = neededAtRunTime(imports);
    assert.ok(needed.has('knex') && needed.has('@photostructure/sqlite'), 'the test sees them');
    assert.deepEqual(
      [...needed].filter((name) => !Object.hasOwn(dependencies, name)),
      [],
    );
    const planted = [
      { from: 'src/x.ts', to: '@a/tool/part.js' },
      { from: 'src/x.ts', to: 'a-type', typeOnly: true },
    ];
    assert.deepEqual([...neededAtRunTime(planted)], ['@a/tool']);
  });

  it('when a file reads the environment, then it is config.ts or the entry of the client CLI', () => {
    assert.deepEqual(filesMatching(readsEnvironment).sort(), ['src/client-cli/main.ts', 'src/platform/config.ts']);
    assert.ok(
      readsEnvironment(`const { PORT } = process.env;`) && readsEnvironment(`import { env } from 'node:process';`),
    );
  });

  it('when a file contains SQL, then it is a repository, read model, section, log, store or in db/', () => {
    const strays = filesMatching(containsSql).filter(
      (file) => partOf(file) !== 'db' && !/-(repository|read-model|section|log|store)\.ts$/.test(file),
    );
    assert.deepEqual(strays, []);
    assert.ok(containsSql(`await knex('sites').where({ id })`) && containsSql(`this.#db<Row>('sites')`));
  });

  it('when a part changes sites, then only ChildChanges sends and logs its changes', () => {
    // Update runs store their entries together with their outcome. Ignoring or pinning an update, and the vault, change
    // no site.
    const ownLogs = [
      'packages/package-service',
      'pins/pin-service',
      'updates/confirm-open-updates',
      'updates/ignore-rule-service',
      'updates/scheduled-failures',
      'updates/site-updater',
      'updates/update-recorder',
    ].map((name) => `src/domains/${name}.ts`);
    const files = [...sources];
    assert.deepEqual(unprovenLogs(files), ownLogs);
    const sender = ['src/domains/pages/x.ts', `import type { ContentCalls } from '../../connector/child-site.ts';`];
    const logger = ['src/domains/pages/log.ts', `import type { ChangeLog } from '../changes/index.ts';`];
    const other = ['src/domains/tags/log.ts', `import { type ChangeRecorder } from '../sites/index.ts';`];
    const unproven = ['src/domains/tags/x.ts', `import { attemptCall, sendChange } from '../sites/index.ts';`];
    assert.deepEqual(unprovenLogs([sender, logger, other, unproven] as [string, string][]), [
      'src/domains/pages/log.ts',
      'src/domains/tags/x.ts',
    ]);
  });

  it('when a file has an import in any form, then it is found, and type imports are marked', () => {
    const text = [
      `import a from './a.ts';`,
      `import './b.ts';`,
      `import type { C } from './c.ts';`,
      `import { type D } from './d.ts';`,
      `export * from '../e.ts';`,
      `export type { F } from '../f.ts';`,
      `const g = await import('./g.ts');`,
      `type H = import('./h.ts').H;`,
      `const i = createRequire(import.meta.url)('i');`,
    ].join('\n');
    const read = importsOf('src/x/file.ts', text).map(({ to, typeOnly }) => (typeOnly ? `type ${to}` : to));
    assert.deepEqual(read, [
      'src/x/a.ts',
      'src/x/b.ts',
      'type src/x/c.ts',
      'src/x/d.ts',
      'src/e.ts',
      'type src/f.ts',
      'src/x/g.ts',
      'type src/x/h.ts',
      'i',
    ]);
  });
});
