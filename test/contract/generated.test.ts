import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findStale, generate, listGeneratedFiles } from '../../scripts/build/generate.ts';

describe('generated files', () => {
  let files: Map<string, string>;
  let folder: string;
  before(async () => {
    files = await generate();
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-generated-'));
    await cp('generated', folder, { recursive: true });
    for (const name of files.keys()) await restore(name);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const restore = (name: string) => writeFile(join(folder, name), files.get(name) ?? '');

  it('when npm run generate runs, then its output equals the stored files', async () => {
    assert.deepEqual(await findStale(files), []);
    assert.deepEqual((await listGeneratedFiles()).sort(), [...files.keys()].sort());
  });

  it('when a copy of the files is checked, then no file is stale', async () => {
    assert.deepEqual(await findStale(files, folder), []);
  });

  it('when a file is stale, then its name is reported', async () => {
    const stale: string[] = [];
    for (const name of files.keys()) {
      await appendFile(join(folder, name), ' ');
      stale.push(`${folder}/${name} is stale`);
      if (stale.length === 1) assert.deepEqual(await findStale(files, folder), stale);
    }
    assert.deepEqual((await findStale(files, folder)).sort(), stale.sort());
    for (const name of files.keys()) await restore(name);
    assert.deepEqual(await findStale(files, folder), []);
  });

  it('when a file is missing, then its name is reported', async () => {
    await rm(join(folder, 'sdk/errors.ts'));
    assert.deepEqual(await findStale(files, folder), [`${folder}/sdk/errors.ts is missing`]);
    await restore('sdk/errors.ts');
  });

  it('when a file has no source, then it is reported as an orphan, except for rendered files', async () => {
    await writeFile(join(folder, 'sdk/old.ts'), '');
    await writeFile(join(folder, 'docs/other.html'), '').catch(() => undefined);
    assert.deepEqual(await findStale(files, folder), [`${folder}/sdk/old.ts is an orphan: no source generates it`]);
    await rm(join(folder, 'sdk/old.ts'));
  });

  it('when the folder does not exist, then all files are missing', async () => {
    assert.equal((await findStale(files, join(folder, 'nowhere'))).length, files.size);
  });
});
