/** Lints the sources, the served documents, the workflows and the file names. */
import { readFile } from 'node:fs/promises';
import type { Document } from '../contract/document.ts';
import { redocly } from '../contract/bundle.ts';
import { misnamedFiles } from '../contract/parts.ts';
import { SURFACES } from '../../src/contract/surfaces.ts';
import { writeWorkflowFolder, withTemporaryFolder } from './workflows/folder.ts';

try {
  await redocly('lint', ...SURFACES);
  await redocly('lint', ...SURFACES, '--config', 'scripts/contract/served.redocly.yaml');
  await withTemporaryFolder(async (folder) => {
    const workflows = await writeWorkflowFolder(folder, 'http://127.0.0.1');
    await redocly('lint', ...workflows.values(), '--extends', 'recommended');
  });
  for (const surface of SURFACES) {
    const document = JSON.parse(await readFile(`generated/${surface}.openapi.json`, 'utf8')) as Document;
    const problems = misnamedFiles(surface, document);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }
  console.log('The contract is clean.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
