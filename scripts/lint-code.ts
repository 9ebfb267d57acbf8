/**
 * Checks types and lints, from one program: a linter that asks for types would have them worked out a second time.
 */
import { ESLint } from 'eslint';
import ts from 'typescript';

const CONFIG = 'tsconfig.json';

/** All files of the project, parsed. */
function readProgram(): ts.Program {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(CONFIG, { noEmit: true, incremental: false }, host);
  if (!parsed) throw new Error(`${CONFIG} cannot be read.`);
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

async function lint(program: ts.Program): Promise<number> {
  const parserOptions = { project: null, programs: [program] };
  const eslint = new ESLint({ overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } } });
  const results = await eslint.lintFiles(['.']);
  const formatter = await eslint.loadFormatter();
  console.log(await formatter.format(results));
  return results.reduce((sum, { errorCount, warningCount }) => sum + errorCount + warningCount, 0);
}

const program = readProgram();
const faults = checkTypes(program) + (await lint(program));
console.log(faults === 0 ? 'Types and rules hold.' : `${faults} faults in types and rules.`);
process.exitCode = faults === 0 ? 0 : 1;
