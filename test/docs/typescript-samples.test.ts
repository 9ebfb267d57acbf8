import assert from 'node:assert/strict';
import ts from 'typescript';
import { documents } from '../../scripts/docs/entries.ts';
import { exampleCall } from '../../scripts/docs/example-call.ts';
import { typescriptOf } from '../../scripts/docs/samples.ts';

const FILE = 'test/docs/samples-of-all-operations.ts';
const [IMPORT = ''] = /^import.*\n/.exec("import { createClient } from '@sitefleet/sdk';\n") ?? [];

/** What the compiler has against a file that is not written anywhere, with the SDK as it stands in the sources. */
function faultsIn(code: string): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
  const { options: base } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  const options = {
    ...base,
    ...{ noEmit: true, incremental: false, composite: false, noUnusedLocals: false, tsBuildInfoFile: undefined },
    paths: { '@sitefleet/sdk': ['./src/sdk/index.ts'] },
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name.endsWith(FILE) || exists(name);
  host.getSourceFile = (name, version) =>
    name.endsWith(FILE) ? ts.createSourceFile(name, code, version, true) : read(name, version);
  const program = ts.createProgram([FILE], options, host);
  return [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics(program.getSourceFile(FILE))].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '),
  );
}

describe('samples of the docs in TypeScript', function () {
  this.timeout(120_000);
  const codes = documents()
    .flatMap(({ parts }) => parts.flatMap(({ entries }) => entries))
    .map((entry) => typescriptOf(exampleCall(entry)).replace(IMPORT, ''));

  it('when they are compiled with the SDK, then every call is as its types ask for', () => {
    assert.ok(codes.length > 300);
    assert.deepEqual(faultsIn(IMPORT + codes.map((code) => `{\n${code}\n}`).join('\n')), []);
  });

  it('when a field of a sample is not what it is called, then the compiler says so', () => {
    const code = codes.find((each) => each.includes("'list-sites-v1'")) ?? '';
    const [fault = ''] = faultsIn(IMPORT + code.replace('page:', 'pages:'));
    assert.match(fault, /pages/);
  });
});
