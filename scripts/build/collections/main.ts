/** Writes collections of all operations for Postman and Bruno from the contract. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { collectionFiles } from './collections.ts';

const USAGE = `Usage: npm run collections [-- --out <folder>]

Writes a collection for Postman (one file in format 2.1) and one for Bruno (a folder), with a request for each
operation of the contract in generated/.

  --out <folder>   folder of the output (default: collections)
  --help           shows this text`;

try {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: 'collections' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) console.log(USAGE);
  else await write(values.out);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function write(out: string): Promise<void> {
  const files = await collectionFiles();
  // Removes requests of operations that no longer exist.
  await rm(join(out, 'bruno'), { recursive: true, force: true });
  for (const [name, text] of files) {
    await mkdir(dirname(join(out, name)), { recursive: true });
    await writeFile(join(out, name), text);
  }
  console.log(`Wrote ${out}/sitefleet.postman_collection.json and ${out}/bruno/ (${files.size - 1} files).

In Postman: Import, then set the variables baseUrl and apiKey of the collection.
In Bruno: Open Collection, choose the environment Local, then set its baseUrl and its secret apiKey.`);
}
