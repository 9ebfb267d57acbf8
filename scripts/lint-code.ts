/**
 * Checks types and lints, from the same programs: a linter that asks for types would have them worked out a second time.
 */
import { ESLint } from 'eslint';
import ts from 'typescript';

/** Of everything that runs on Node.js, and of what runs in browsers. */
const CONFIGS = ['tsconfig.json', 'scripts/docs/browser/tsconfig.json'];

/** All files of a project, parsed. */
function readProgram(config: string): ts.Program {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(config, { noEmit: true, incremental: false }, host);
  if (!parsed) throw new Error(`${config} cannot be read.`);
  const { fileNames: rootNames, options, errors: configFileParsingDiagnostics } = parsed;
  return ts.createProgram({ rootNames, options, configFileParsingDiagnostics });
}

/** How many faults there are, which it shows. */
function checkTypes(program: ts.Program): number {
  const faults = ts.getPreEmitDiagnostics(program);
  console.log(
    ts.formatDiagnostics(faults, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    }),
  );
  return faults.length;
}

async function lint(programs: ts.Program[]): Promise<number> {
  const parserOptions = { project: null, programs };
  const eslint = new ESLint({ overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } } });
  const results = await eslint.lintFiles(['.']);
  const formatter = await eslint.loadFormatter();
  console.log(await formatter.format(results));
  return results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
}

const programs = CONFIGS.map(readProgram);
const faults = programs.map(checkTypes).reduce((sum, count) => sum + count, await lint(programs));
console.log(faults === 0 ? 'Types and rules hold.' : `${faults} faults in types and rules.`);
process.exitCode = faults === 0 ? 0 : 1;
