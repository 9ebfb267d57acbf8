import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeLog } from '../../../src/domains/changes/index.ts';
import { PackageFiles } from '../../../src/domains/packages/package-files.ts';
import { PackageService } from '../../../src/domains/packages/package-service.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { makeZip, pluginEntries } from '../../support/packages.ts';
import { ManualClock } from '../../support/schedules.ts';

/** SQLite has one process. */
const describeOnServer = process.env['TEST_DATABASE_URL'] ? describe : describe.skip;

/** Lets every writer count the room before any of them has written. */
class SlowFiles extends PackageFiles {
  override async write(bytes: Buffer, sha256: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await super.write(bytes, sha256);
  }
}

describeOnServer('the quota of packages with several processes', () => {
  let opened: TestDatabase;
  let folder: string;

  before(async () => {
    opened = await openTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-vault-'));
  });
  after(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('when two processes store a package at the same time and one fits, then one is stored', async () => {
    const zips = await Promise.all(['1.0', '1.1'].map((version) => makeZip(pluginEntries('rig-alpha', version))));
    const clock = new ManualClock('2026-11-28T10:00:00Z');
    const quotaBytes = Math.max(...zips.map(({ length }) => length));
    const results = await Promise.allSettled(
      zips.map((zip, index) => {
        const service = new PackageService({
          ...{ knex: opened.database.knex, clock, changeLog: new ChangeLog(clock), files: new SlowFiles(folder) },
          ...{ directory: null as never, quotaBytes, reserved: () => Promise.resolve(new Set<number>()) },
        });
        return service.addUpload({ kind: 'plugin', slug: 'rig-alpha', version: `1.${index}`, zip }, 'test');
      }),
    );
    const codes = results.map((result) => (result.status === 'fulfilled' ? 'stored' : result.reason.code));
    assert.deepEqual(codes.toSorted(), ['stored', 'svc_package_vault_full']);
    const rows = await opened.database.knex('packages').select('version');
    assert.equal(rows.length, 1);
  });
});
