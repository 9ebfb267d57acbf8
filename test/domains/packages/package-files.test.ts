import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { PackageFiles, sha256OfZip } from '../../../src/domains/packages/package-files.ts';
import { sha256 as sha256Of } from '../../support/packages.ts';

const SIZE = 300_000;
/** Size of the parts in which Node reads a file. */
const PART = 65_536;

describe('files of packages', () => {
  let folder: string;
  let files: PackageFiles;
  let sha256: string;
  let path: string;
  const bytes = Buffer.from(Array.from({ length: SIZE }, (_, index) => index % 251));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-files-'));
    files = new PackageFiles(folder);
    sha256 = sha256Of(bytes);
    await files.write(bytes, sha256);
    path = join(folder, sha256.slice(0, 2), `${sha256}.zip`);
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Reads until the end or an error. */
  async function read(content: Readable): Promise<{ parts: Buffer[]; error: unknown }> {
    const parts: Buffer[] = [];
    try {
      for await (const part of content as AsyncIterable<Buffer>) parts.push(part);
      return { parts, error: null };
    } catch (error) {
      return { parts, error };
    }
  }

  it('when a file is unchanged, then it is read in parts', async () => {
    const file = await files.open(sha256);
    assert.equal(file?.size, SIZE);
    const { parts, error } = await read(file.content());
    assert.equal(error, null);
    assert.deepEqual(Buffer.concat(parts), bytes);
    assert.equal(parts.length, Math.ceil(SIZE / PART));
  });

  it('when a zip is hashed in pieces, then its hash is that of the whole, and other work runs meanwhile', async () => {
    const mebibyte = 1024 * 1024;
    for (const size of [0, 1, mebibyte, mebibyte + 1])
      assert.equal(await sha256OfZip(Buffer.alloc(size, 7)), sha256Of(Buffer.alloc(size, 7)), String(size));
    const zip = Buffer.alloc(64 * mebibyte, 7);
    let turns = 0;
    let isHashed = false;
    const count = (): void => {
      turns++;
      if (!isHashed) setImmediate(count);
    };
    setImmediate(count);
    await sha256OfZip(zip);
    isHashed = true;
    assert.ok(turns > 0);
  });

  it('when a file has changed or is missing, then it is not opened', async () => {
    await writeFile(path, Buffer.concat([bytes.subarray(0, -1), Buffer.from([255])]));
    assert.equal(await files.open(sha256), null);
    await rm(path);
    assert.equal(await files.open(sha256), null);
  });

  it('when a file changes after it was opened, then it is never read completely', async () => {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(255, 10);
    const contents = { 'one byte': changed, longer: Buffer.concat([changed, bytes]), shorter: changed.subarray(0, -1) };
    for (const [name, content] of Object.entries(contents)) {
      await writeFile(path, bytes);
      const file = await files.open(sha256);
      assert.ok(file);
      await writeFile(path, content);
      const { parts, error } = await read(file.content());
      assert.match(String(error), /changed while it was sent/, name);
      assert.ok(Buffer.concat(parts).length < SIZE, name);
    }
  });
});
