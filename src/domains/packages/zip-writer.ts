import { readZip } from './zip-reader.ts';

/** The oldest time that a zip can store. A fixed time makes the same files always become the same zip. */
const NO_TIME = new Date(1980, 0, 1);
const FILE_MODE = 0o100644;

/** Packs a zip again with another name for its only folder. Files outside of the folder are left out. */
export async function renameFolder(zip: Buffer, folder: string, name: string): Promise<Buffer> {
  const { default: yazl } = await import('yazl');
  const packed = new yazl.ZipFile();
  await readZip(zip, ({ path }, bytes) => {
    if (bytes && path.startsWith(`${folder}/`))
      packed.addBuffer(bytes, `${name}${path.slice(folder.length)}`, { mtime: NO_TIME, mode: FILE_MODE });
  });
  packed.end();
  const chunks: Buffer[] = [];
  for await (const chunk of packed.outputStream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
