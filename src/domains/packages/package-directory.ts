import { OutboundError, type Outbound, type OutboundRequest, type OutboundResponse } from '../../outbound/outbound.ts';
import { MINUTE, SECOND } from '../../shared/clock.ts';
import { packageRefused, packageSourceFailed, releaseNotFound, ZIP_LIMITS, type PackageRef } from './package.ts';
import type { ZipFile } from './zip-reader.ts';

const CONNECT_MS = 10 * SECOND;
const DEADLINE_MS = 5 * MINUTE;
const MAX_REDIRECTS = 5;
const MAX_CHECKSUM_BYTES = 16 * 1024 * 1024;

export interface PackageDirectoryDeps {
  outbound: Outbound;
  /** Start of the addresses of packages and checksums, without a trailing slash. */
  baseUrl: string;
  deadlineMs?: number | undefined;
}

/** Hashes of the files of a release. The keys are their paths below the folder of the plugin. */
export type ReleaseChecksums = ReadonlyMap<string, ReadonlySet<string>>;

export class PackageDirectory {
  readonly #deps: PackageDirectoryDeps;

  constructor(deps: PackageDirectoryDeps) {
    this.#deps = deps;
  }

  addressOf({ kind, slug, version }: PackageRef): string {
    return `${this.#deps.baseUrl}/${kind}/${slug}.${version}.zip`;
  }

  /** Throws `svc_package_not_found`, `svc_package_source_failed`, `svc_package_refused` and `svc_address_refused`. */
  async download(url: string): Promise<Buffer> {
    const { status, body } = await this.#get(url, ZIP_LIMITS.bytes);
    if (status === 404 || status === 410) throw releaseNotFound();
    if (status !== 200) throw statusError(status);
    return body;
  }

  /** True if the address has a package. Downloads nothing. Throws `svc_package_source_failed` if that is not clear. */
  async has(url: string, deadlineMs: number): Promise<boolean> {
    const { status } = await this.#request(url, { method: 'HEAD', maxBytes: 0, deadlineMs });
    if (status === 404 || status === 410) return false;
    if (status !== 200) throw statusError(status);
    return true;
  }

  async checksums({ kind, slug, version }: PackageRef): Promise<ReleaseChecksums | null> {
    if (kind === 'theme') return null;
    const url = `${this.#deps.baseUrl}/plugin-checksums/${slug}/${version}.json`;
    const { status, body } = await this.#get(url, MAX_CHECKSUM_BYTES);
    if (status === 404 || status === 410) return null;
    if (status !== 200) throw statusError(status);
    return parseChecksums(body);
  }

  #get(url: string, maxBytes: number): Promise<OutboundResponse> {
    return this.#request(url, { method: 'GET', maxBytes, deadlineMs: this.#deps.deadlineMs ?? DEADLINE_MS });
  }

  async #request(
    url: string,
    { method, maxBytes, deadlineMs }: Pick<OutboundRequest, 'method' | 'maxBytes' | 'deadlineMs'>,
  ): Promise<OutboundResponse> {
    try {
      return await this.#deps.outbound.request({
        ...{ url, method, connectTimeoutMs: CONNECT_MS, deadlineMs, maxBytes, maxRedirects: MAX_REDIRECTS },
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.fault === 'body_too_large')
        throw packageRefused('too_large', `The source sent more than ${maxBytes} bytes.`, error);
      throw packageSourceFailed('The source of the package could not be read.', { reason: error.fault }, error);
    }
  }
}

const statusError = (status: number) =>
  packageSourceFailed(`The source of the package answered with the status ${status}.`, { http_status: status });

function parseChecksums(body: Buffer): ReleaseChecksums {
  const failed = (cause?: unknown) => packageSourceFailed('The checksums of the directory cannot be read.', {}, cause);
  let files: unknown;
  try {
    files = (JSON.parse(body.toString('utf8')) as { files?: unknown } | null)?.files;
  } catch (error) {
    throw failed(error);
  }
  if (typeof files !== 'object' || files === null) throw failed();
  return new Map(
    Object.entries(files as Record<string, unknown>).map(([path, hashes]) => {
      const { sha256, md5 } = (typeof hashes === 'object' && hashes !== null ? hashes : {}) as Record<string, unknown>;
      // A version can have been published several times. Its files then have a hash for each time.
      const known = [sha256 ?? md5].flat().filter((hash): hash is string => typeof hash === 'string');
      return [path, new Set(known.map((hash) => hash.toLowerCase()))];
    }),
  );
}

/** The directory changes this file of a release after it was published, for example to raise "Tested up to". */
const CHANGED_LATER = /^readme\.(?:txt|md)$/i;

/** Throws `svc_package_refused` if a file was changed, was added or is missing. */
export function compareChecksums(files: readonly ZipFile[], folder: string, checksums: ReleaseChecksums): void {
  const fileOf = new Map(files.map((file) => [file.path.slice(folder.length + 1), file]));
  const paths = new Set([...fileOf.keys(), ...checksums.keys()]);
  for (const path of paths) {
    if (CHANGED_LATER.test(path)) continue;
    const [file, hashes] = [fileOf.get(path), checksums.get(path)];
    if (!file || !hashes || !(hashes.has(file.sha256) || hashes.has(file.md5)))
      throw packageRefused('checksum_mismatch', 'A file of the zip differs from the one that the directory published.');
  }
}
