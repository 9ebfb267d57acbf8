import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import type { PackageRef } from '../../../src/domains/packages/package.ts';
import type { PackageDirectory } from '../../../src/domains/packages/package-directory.ts';
import { PackageFiles } from '../../../src/domains/packages/package-files.ts';
import { PackageService } from '../../../src/domains/packages/package-service.ts';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { pluginZip, sha256 as sha256Of } from '../../support/packages.ts';
import { ManualClock } from '../../support/schedules.ts';

const refOf = (version: string): PackageRef => ({ kind: 'plugin', slug: 'rig-alpha', version });
const FOR_SITES = { isLimited: false };

/** Runs `beforeDelete` once, between the deletion of a row and of its file. */
class HookedFiles extends PackageFiles {
  beforeDelete: (() => Promise<unknown>) | null = null;

  override async delete(sha256: string): Promise<void> {
    const hook = this.beforeDelete;
    this.beforeDelete = null;
    await hook?.();
    await super.delete(sha256);
  }
}

/** Runs `afterFetch` once, between the choice of a package and its mark as used. */
class HookedService extends PackageService {
  afterFetch: (() => Promise<unknown>) | null = null;

  override async fetch(ref: PackageRef, actor: string) {
    const stored = await super.fetch(ref, actor);
    const hook = this.afterFetch;
    this.afterFetch = null;
    await hook?.();
    return stored;
  }
}

describe('packages that are chosen while others are deleted', () => {
  let opened: TestDatabase;
  let folder: string;
  let files: HookedFiles;
  let clock: ManualClock;
  let zips: Map<string, Buffer>;
  let quotaBytes: number;

  before(async () => {
    opened = await openTestDatabase();
    const versions = ['1.0', '1.1', '1.2', '1.3'];
    zips = new Map(
      await Promise.all(versions.map(async (version) => [version, await pluginZip('rig-alpha', version)] as const)),
    );
  });
  after(() => opened.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-vault-'));
    await opened.database.knex('packages').delete();
    clock = new ManualClock('2026-11-28T10:00:00Z');
    files = new HookedFiles(folder);
    quotaBytes = Number.MAX_SAFE_INTEGER;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const zipOf = (version: string): Buffer => zips.get(version) ?? assert.fail();
  function startService(reserved: () => Promise<Set<number>> = () => Promise.resolve(new Set())): HookedService {
    const directory = {
      addressOf: ({ version }: PackageRef) => version,
      download: (version: string) => Promise.resolve(zipOf(version)),
      checksums: () => Promise.resolve(null),
    };
    return new HookedService({
      ...{ knex: opened.database.knex, clock, changeLog: new ChangeLog(clock), files, quotaBytes, reserved },
      directory: directory as unknown as PackageDirectory,
    });
  }
  const versions = (): Promise<string[]> =>
    opened.database.knex('packages').orderBy('version').pluck<string[]>('version');

  it('when a package is chosen while others make room, then it is kept, and another one is deleted', async () => {
    const service = startService();
    for (const version of ['1.0', '1.1', '1.2']) {
      await service.fetch(refOf(version), 'test');
      clock.time += 1;
    }
    clock.time += 2 * HOUR;
    // The room of two packages is needed: that of the new one and of the one that is over the quota.
    quotaBytes = ['1.0', '1.1'].reduce((sum, version) => sum + zipOf(version).length, 0);
    const full = startService();
    files.beforeDelete = () => service.fetchForSites(refOf('1.1'), 'test', FOR_SITES);
    await full.fetch(refOf('1.3'), 'test');
    assert.deepEqual(await versions(), ['1.1', '1.3']);
    const { sha256 } = await service.fetch(refOf('1.1'), 'test');
    assert.ok(await files.open(sha256));
  });

  it('when a package is deleted before it is marked as used, then it is fetched again', async () => {
    const service = startService();
    const { id } = await service.fetch(refOf('1.0'), 'test');
    service.afterFetch = () => service.delete(id, 'test');
    const stored = await service.fetchForSites(refOf('1.0'), 'test', FOR_SITES);
    assert.notEqual(stored.id, id);
    assert.deepEqual(await service.get(stored.id), stored);
  });

  it('when unused packages are deleted, then those that are reserved or just chosen are kept', async () => {
    const reserved = new Set<number>();
    const service = startService(() => Promise.resolve(reserved));
    for (const version of ['1.0', '1.1', '1.2']) {
      const { id } = await service.fetch(refOf(version), 'test');
      if (version === '1.0') reserved.add(id);
      clock.time += 1;
    }
    clock.time += 91 * DAY;
    files.beforeDelete = () => service.fetchForSites(refOf('1.2'), 'test', FOR_SITES);
    assert.equal(await service.pruneUnused(), 1);
    assert.deepEqual(await versions(), ['1.0', '1.2']);
  });

  it('when a process died while it stored packages, then their files are deleted after a day', async () => {
    const service = startService();
    const { sha256 } = await service.fetch(refOf('1.0'), 'test');
    const unstored = sha256Of(zipOf('1.1'));
    await files.write(zipOf('1.1'), unstored);
    const pathOf = (hash: string): string => join(folder, hash.slice(0, 2), `${hash}.zip`);
    const draft = `${pathOf(unstored)}.${randomUUID()}`;
    const foreign = join(folder, sha256.slice(0, 2), 'readme.zip');
    for (const path of [draft, foreign]) await writeFile(path, 'x');
    const wroteAt = (time: number): Promise<unknown> =>
      Promise.all(
        [pathOf(sha256), pathOf(unstored), draft, foreign].map((path) => utimes(path, time / 1000, time / 1000)),
      );
    await wroteAt(clock.time - 23 * HOUR);
    assert.equal(await service.pruneFiles(), 0);
    await wroteAt(clock.time - 25 * HOUR);
    assert.equal(await service.pruneFiles(), 2);
    const left = [pathOf(sha256), pathOf(unstored), draft, foreign].map((path) => existsSync(path));
    assert.deepEqual(left, [true, false, false, true]);
  });

  it('when the same zip is uploaded while its package is deleted, then the vault has its file', async () => {
    const service = startService();
    // On SQLite, one process has all calls.
    const other = process.env['TEST_DATABASE_URL'] ? startService() : service;
    const upload = () => other.addUpload({ ...refOf('1.0'), zip: zipOf('1.0') }, 'test');
    const { id } = await upload();
    let uploaded: ReturnType<typeof upload> | undefined;
    files.beforeDelete = async () => {
      uploaded = upload();
      // Gives the upload time to end. It may wait for the end of the deletion.
      const read = async (): Promise<void> => {
        for (let turns = 0; turns < 1_000; turns++) await nextTurn().then(versions);
      };
      await Promise.race([uploaded, read()]);
    };
    await service.delete(id, 'test');
    const { sha256 } = (await uploaded) ?? assert.fail();
    assert.ok(await files.open(sha256));
    assert.deepEqual(await versions(), ['1.0']);
  });
});
