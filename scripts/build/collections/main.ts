/** Writes collections of all operations for Postman and Bruno from the contract. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { collectionFiles } from './collections.ts';

const USAGE = `Usage: npm run collections [-- --out <folder>]

Writes collections for Postman (files in format 2.1) and Bruno (folders), with a request for each operation of the
contract in generated/. What changes all sites or the service itself is in a collection of its own.

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
  for (const folder of ['bruno', 'bruno-fleet']) await rm(join(out, folder), { recursive: true, force: true });
  for (const [name, text] of files) {
    await mkdir(dirname(join(out, name)), { recursive: true });
    await writeFile(join(out, name), text);
  }
  console.log(`Wrote ${files.size} files to ${out}/.

In Postman: Import sitefleet.postman_collection.json, then set the variables baseUrl and apiKey of the collection.
In Bruno: Open Collection bruno/, choose the environment Local, then set its baseUrl and its secret apiKey.
The collections with "fleet" in their names change all sites or the service itself.`);
}
