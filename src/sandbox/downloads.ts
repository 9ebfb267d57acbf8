import http from 'node:http';
import https from 'node:https';
import yauzl from 'yauzl';
import { parseJsonOrUndefined, stripSlashes, textField, type PhpFormFields } from './protocol/form.ts';

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 300_000;
const HEAD_BYTES = 8 * 1024;

export interface DownloadFailure {
  error: string;
  error_code: string;
}

/** Paths of the files in a zip, each with the first 8 KB of the file as text. */
export type ZipHeads = ReadonlyMap<string, string>;

export type Download = DownloadFailure | { heads: ZipHeads };

const NO_ZIP: DownloadFailure = {
  error: 'PCLZIP_ERR_BAD_FORMAT (-10) : Unable to find End of Central Dir Record signature',
  error_code: 'incompatible_archive',
};

/** The child removes backslashes twice, so JSON that contains backslashes becomes invalid (protocol 1.4). */
export function packageUrls(fields: PhpFormFields): string[] {
  const value = parseJsonOrUndefined(stripSlashes(textField(fields, 'url')));
  const urls = Array.isArray(value) ? (value as unknown[]) : [value];
  return urls.filter((url): url is string => typeof url === 'string' && url !== '');
}

/**
 * Downloads packages as the child does. If a download fails and the URL is https, it is repeated once (recorded from a
 * real site). If it fails again, the remaining packages are not downloaded.
 */
export async function downloadPackages(urls: readonly string[], siteUrl: string): Promise<Map<string, Download>> {
  const downloads = new Map<string, Download>();
  for (const url of urls) {
    let download = await downloadPackage(url, siteUrl);
    if ('error' in download && url.startsWith('https:')) download = await downloadPackage(url, siteUrl);
    downloads.set(url, download);
    if ('error' in download) break;
  }
  return downloads;
}

/**
 * Downloads a file as `uploader_action` does. Returns its text as a `Download` with a single file, whose path is the
 * empty text.
 */
export async function downloadFile(url: string, siteUrl: string): Promise<Map<string, Download>> {
  const file = await get(url, siteUrl, MAX_REDIRECTS);
  if (Buffer.isBuffer(file)) return new Map([[url, { heads: new Map([['', file.toString('utf8')]]) }]]);
  const error = file.error.startsWith('cURL') ? `Error: ${file.error}` : `Error 404: ${file.error}`;
  return new Map([[url, { ...file, error }]]);
}

async function downloadPackage(url: string, siteUrl: string): Promise<Download> {
  const bytes = await get(url, siteUrl, MAX_REDIRECTS);
  if (!Buffer.isBuffer(bytes)) return bytes;
  return readHeads(bytes).then(
    (heads) => ({ heads }),
    () => NO_ZIP,
  );
}

const failure = (error: string): DownloadFailure => ({ error, error_code: 'download_failed' });

function get(url: string, siteUrl: string, redirects: number): Promise<Buffer | DownloadFailure> {
  if (!/^https?:\/\/./.test(url)) return Promise.resolve(failure('A valid URL was not provided.'));
  const client = url.startsWith('https:') ? https : http;
  const headers = { 'user-agent': `WordPress/7.1; ${siteUrl}` };
  return new Promise((resolve) => {
    const request = client.get(url, { headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const { statusCode: status = 0, statusMessage = '' } = response;
      const { location } = response.headers;
      if (status >= 300 && status < 400 && location !== undefined && redirects > 0) {
        response.resume();
        resolve(get(new URL(location, url).href, siteUrl, redirects - 1));
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(status === 200 ? Buffer.concat(chunks) : failure(statusMessage)));
      // If the connection is lost during a download, WordPress uses the part of the zip that has arrived.
      response.on('error', () => resolve(Buffer.concat(chunks)));
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', ({ message }) => resolve(failure(`cURL error: ${message}`)));
  });
}

function readHeads(bytes: Buffer): Promise<ZipHeads> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const heads = new Map<string, string>();
      zip.on('error', reject);
      zip.on('end', () => resolve(heads));
      zip.on('entry', (entry: yauzl.Entry) => {
        if (entry.fileName.startsWith('__MACOSX/')) return zip.readEntry();
        if (entry.fileName.endsWith('/')) {
          heads.set(entry.fileName, '');
          return zip.readEntry();
        }
        return zip.openReadStream(entry, (unreadable, stream) => {
          if (unreadable) return reject(unreadable);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('error', reject);
          stream.on('end', () => {
            heads.set(entry.fileName, Buffer.concat(chunks).toString('utf8', 0, HEAD_BYTES));
            zip.readEntry();
          });
          return undefined;
        });
      });
      zip.readEntry();
      return undefined;
    });
  });
}
