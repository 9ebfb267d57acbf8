import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type yauzl from 'yauzl';
import { packageRefused, ZIP_LIMITS } from './package.ts';

/** Number of bytes of a file in which WordPress looks for a header. */
const HEAD_BYTES = 8 * 1024;
/** Files that macOS adds. WordPress does not unpack them. */
const NOT_UNPACKED = '__MACOSX/';
const TYPE_MASK = 0o170000;
const FOLDER_OR_FILE = new Set([0, 0o040000, 0o100000]);
const ENCRYPTED = 1;

export interface ZipFile {
  /** Path with `/`, relative to the root of the zip. */
  path: string;
  size: number;
  md5: string;
  sha256: string;
  head: Buffer;
}

export interface ZipContent {
  files: ZipFile[];
  /** Folders at the root, also empty ones, because WordPress creates them. '' stands for files outside of a folder. */
  topFolders: ReadonlySet<string>;
  unpackedSize: number;
}

/** Receives each file of a zip. `bytes` is never null, because `readFile` drops contents only without a visitor. */
export type ZipFileVisitor = (file: ZipFile, bytes: Buffer | null) => void;

/**
 * Reads each file of a zip once, without keeping it. Throws `svc_package_refused` for a damaged zip, a path outside of
 * it, a link, and more than `ZIP_LIMITS`, whatever sizes the zip claims.
 */
export async function readZip(zip: Buffer, visit?: ZipFileVisitor): Promise<ZipContent> {
  if (zip.length > ZIP_LIMITS.bytes) throw tooLarge(`The zip is larger than ${ZIP_LIMITS.bytes} bytes.`);
  try {
    return await readEntries(await openZip(zip), visit);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'svc_package_refused') throw error;
    const isPath = error instanceof Error && /relative path|absolute path|characters in fileName/.test(error.message);
    if (isPath) throw packageRefused('unsafe_path', 'The zip has a file outside of its folder.', error);
    throw packageRefused('damaged', 'The zip cannot be read.', error);
  }
}

async function openZip(zip: Buffer): Promise<yauzl.ZipFile> {
  const { default: unzip } = await import('yauzl');
  return new Promise((resolve, reject) =>
    unzip.fromBuffer(
      zip,
      { lazyEntries: true, strictFileNames: true, validateEntrySizes: true },
      (error, opened) => void (error ? reject(error) : resolve(opened)),
    ),
  );
}

async function readEntries(zip: yauzl.ZipFile, visit: ZipFileVisitor | undefined): Promise<ZipContent> {
  const [paths, topFolders] = [new Set<string>(), new Set<string>()];
  const content: ZipContent = { files: [], topFolders, unpackedSize: 0 };
  if (zip.entryCount > ZIP_LIMITS.files)
    throw packageRefused('too_many_files', `The zip has more than ${ZIP_LIMITS.files} files.`);
  for (let entry = await nextEntry(zip); entry; entry = await nextEntry(zip)) {
    const path = entry.fileName;
    refuseUnsafeEntry(entry, paths);
    if (path.startsWith(NOT_UNPACKED)) continue;
    topFolders.add(path.slice(0, Math.max(0, path.indexOf('/'))));
    if (path.endsWith('/')) continue;
    const { file, bytes } = await readFile(zip, entry, ZIP_LIMITS.unpackedBytes - content.unpackedSize, !!visit);
    content.unpackedSize += file.size;
    content.files.push(file);
    visit?.(file, bytes);
  }
  return content;
}

const nextEntry = (zip: yauzl.ZipFile): Promise<yauzl.Entry | null> =>
  new Promise((resolve, reject) => {
    zip.removeAllListeners();
    zip.once('entry', resolve);
    zip.once('end', () => resolve(null));
    zip.once('error', reject);
    zip.readEntry();
  });

/**
 * Throws for an unsafe entry, and for the second entry with the same path: which of the two a site unpacks depends on
 * its PHP.
 */
function refuseUnsafeEntry(entry: yauzl.Entry, paths: Set<string>): void {
  const { fileName: path, externalFileAttributes: attributes, generalPurposeBitFlag: flags } = entry;
  if (!FOLDER_OR_FILE.has((attributes >>> 16) & TYPE_MASK))
    throw packageRefused('link', 'The zip has a link or another special file.');
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(path) || path.length > 1_000 || path.split('/').includes('.'))
    throw packageRefused('unsafe_path', 'The zip has a file with a name that is not allowed.');
  const key = path.toLowerCase();
  if (paths.has(key)) throw packageRefused('unsafe_path', 'The zip has two files of the same name.');
  paths.add(key);
  if ((flags & ENCRYPTED) !== 0) throw packageRefused('damaged', 'The zip is encrypted.');
}

async function readFile(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  mostBytes: number,
  keepsContent: boolean,
): Promise<{ file: ZipFile; bytes: Buffer | null }> {
  if (entry.uncompressedSize > mostBytes) throw unpackedTooLarge();
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => void (error ? reject(error) : resolve(opened))),
  );
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  const heads: Buffer[] = [];
  const chunks: Buffer[] = [];
  let [size, checksum] = [0, 0];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size < HEAD_BYTES) heads.push(chunk.subarray(0, HEAD_BYTES - size));
    if (keepsContent) chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw unpackedTooLarge();
    md5.update(chunk);
    sha256.update(chunk);
    checksum = crc32(chunk, checksum);
  }
  if (checksum !== entry.crc32 >>> 0) throw packageRefused('damaged', 'The zip has a damaged file.');
  const file = {
    path: entry.fileName,
    size,
    md5: md5.digest('hex'),
    sha256: sha256.digest('hex'),
    head: Buffer.concat(heads),
  };
  return { file, bytes: keepsContent ? Buffer.concat(chunks) : null };
}

const tooLarge = (message: string) => packageRefused('too_large', message);
const unpackedTooLarge = () => tooLarge(`The files of the zip have more than ${ZIP_LIMITS.unpackedBytes} bytes.`);
