import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder, type FolderWatch } from '../../scripts/dev/watch-folder.ts';
import { until } from '../support/until.ts';

describe('watched folder', () => {
  let folder: string;
  let watched: FolderWatch;
  let begun = 0;
  let finish: () => void = () => undefined;
  beforeEach(async () => {
    begun = 0;
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-watch-'));
    await mkdir(join(folder, 'part'));
    watched = watchFolder(folder, () => {
      begun += 1;
      return new Promise((resolve) => (finish = resolve));
    });
  });
  afterEach(async () => {
    watched.close();
    await rm(folder, { recursive: true, force: true });
  });
  const change = (name: string) => writeFile(join(folder, 'part', name), String(Math.random()));

  it('when several files change together, then the callback runs once', async () => {
    for (const name of ['a.yaml', 'b.yaml', 'c.yaml']) await change(name);
    await until(() => begun > 0, 'the work to begin');
    assert.equal(begun, 1);
  });

  it('when a file changes during the callback, then the callback runs again afterwards', async () => {
    await change('a.yaml');
    await until(() => begun === 1, 'the work to begin');
    await change('b.yaml');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(begun, 1);
    finish();
    await until(() => begun === 2, 'the work to begin again');
  });
});
