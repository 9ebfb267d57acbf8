import { rm } from 'node:fs/promises';
import type { Knex } from 'knex';
import { withProcessLock } from '../../db/locked-transaction.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, HOUR, MINUTE, type Clock } from '../../shared/clock.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ChangeLog } from '../changes/index.ts';
import { attemptCall, KeyedMutex } from '../sites/index.ts';
import {
  describePackage,
  packageRefused,
  packageSourceFailed,
  releaseNotFound,
  type NewPackage,
  type PackageFilter,
  type PackageRef,
  type PackageSource,
  type StoredPackage,
  type Verification,
} from './package.ts';
import { failureLifetimeMs } from './failure-lifetime.ts';
import { compareChecksums, type PackageDirectory } from './package-directory.ts';
import { sha256OfZip, type PackageFile, type PackageFiles } from './package-files.ts';
import { inspectZip } from './package-inspector.ts';
import { PackageRepository } from './package-repository.ts';
import { renameFolder } from './zip-writer.ts';

/** Packages from the WordPress.org directory are deleted from the vault if they were not used for this time. */
const KEPT_UNUSED = 90 * DAY;
/** A package that was used within this time is not deleted to make room, because a site may still download it. */
const IN_USE = HOUR;
const COMPARED_FOR = 5 * MINUTE;
const MAX_PACKAGES = 5_000;
const BATCH = 50;

const otherPackage = (): ConflictError =>
  new ConflictError('svc_already_exists', 'The vault has another package of this version. Delete it first.');

const hashMismatch = (): ConflictError =>
  packageRefused('hash_mismatch', 'The zip does not have the hash that was sent.');

export interface PackageServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  files: PackageFiles;
  directory: PackageDirectory;
  quotaBytes: number;
  /** Returns the IDs of packages that must not be deleted to make room, however long they were not used. */
  reserved: () => Promise<ReadonlySet<number>>;
}

interface IncomingZip {
  source: PackageSource;
  address: string | null;
  zip: Buffer;
  sha256: string;
  /** How the zip was verified, apart from the checksums that the directory publishes. Null if it was not. */
  verifiedBy: Verification | null;
}

export interface AddressedPackage extends PackageRef {
  url: string;
  /** SHA-256 of the zip in lower-case hexadecimal. */
  sha256: string;
}

export interface UploadedPackage extends PackageRef {
  zip: Buffer;
  sha256?: string | undefined;
}

/**
 * The vault: stores packages of plugins and themes, at most one for each version. A zip is downloaded or uploaded once,
 * and stored only after its inspection.
 */
export class PackageService {
  readonly #deps: PackageServiceDeps;
  readonly #downloads = new KeyedMutex();
  readonly #compared = new Map<string, { until: number; isSame: boolean }>();

  constructor(deps: PackageServiceDeps) {
    this.#deps = deps;
  }

  list(filter: PackageFilter, request: PageRequest): Promise<Page<StoredPackage>> {
    return new PackageRepository(this.#deps.knex).page(filter, request);
  }

  finder(refs: readonly PackageRef[]): Promise<(ref: PackageRef) => StoredPackage | null> {
    return new PackageRepository(this.#deps.knex).finder(refs);
  }

  get(id: number): Promise<StoredPackage> {
    return new PackageRepository(this.#deps.knex).get(id);
  }

  /**
   * Returns a package from the vault. If it is missing there, downloads it from the WordPress.org directory. Throws
   * `svc_package_not_found`, `svc_package_refused`, `svc_package_source_failed` and `svc_package_vault_full`.
   */
  async fetch(ref: PackageRef, actor: string): Promise<StoredPackage> {
    return this.#once(ref, async () => {
      const { knex, directory } = this.#deps;
      const stored = await new PackageRepository(knex).find(ref);
      if (stored) return stored;
      const address = directory.addressOf(ref);
      const zip = await directory.download(address);
      const sha256 = await sha256OfZip(zip);
      return this.#add(ref, { source: 'directory', address, zip, sha256, verifiedBy: null }, actor);
    });
  }

  /**
   * Calls `fetch` and marks the package as used, so that it is not deleted to make room before sites have downloaded
   * it. If it was deleted before the mark, fetches it again. A limited caller only gets packages of the directory:
   * those from elsewhere may be licensed for other sites.
   */
  async fetchForSites(
    ref: PackageRef,
    actor: string,
    caller: { isLimited: boolean; isAutomatic?: boolean | undefined },
  ): Promise<StoredPackage> {
    const { isLimited, isAutomatic = false } = caller;
    const stored = await this.fetch(ref, actor);
    if (isLimited && stored.source !== 'directory') throw releaseNotFound();
    if (isAutomatic && stored.source !== 'directory' && stored.verifiedBy !== 'hash')
      throw packageRefused('not_verified', `Nobody has sent a hash of ${describePackage(ref)}.`);
    return (await this.markUsed(stored.id)) ? stored : this.fetchForSites(ref, actor, caller);
  }

  /** Throws `svc_already_exists` if the vault has another zip of this version. */
  async addFromAddress({ url, sha256, ...ref }: AddressedPackage, actor: string): Promise<StoredPackage> {
    return this.#once(ref, async () => {
      const { knex, directory } = this.#deps;
      const stored = await new PackageRepository(knex).find(ref);
      if (stored?.sourceSha256 === sha256) return this.#markVerified(stored);
      if (stored) throw otherPackage();
      const zip = await directory.download(url);
      if ((await sha256OfZip(zip)) !== sha256) throw hashMismatch();
      return this.#add(ref, { source: 'address', address: url, zip, sha256, verifiedBy: 'hash' }, actor);
    });
  }

  /**
   * Stores a zip that the caller has sent. Without `sha256`, the package counts as verified by `upload`. If the vault
   * already has the same zip, a missing file is replaced, and `sha256` verifies the package. Throws
   * `svc_package_refused`, `svc_package_vault_full`, and `svc_already_exists` if the vault has another zip of this
   * version.
   */
  async addUpload({ zip, sha256, ...ref }: UploadedPackage, actor: string): Promise<StoredPackage> {
    const hash = await sha256OfZip(zip);
    if (sha256 !== undefined && sha256 !== hash) throw hashMismatch();
    return this.#once(ref, async () => {
      const stored = await new PackageRepository(this.#deps.knex).find(ref);
      if (stored && stored.sourceSha256 !== hash) throw otherPackage();
      if (stored) {
        const restored = await this.#restoreFile(stored, zip);
        return sha256 === undefined ? restored : this.#markVerified(restored);
      }
      const verifiedBy = sha256 === undefined ? 'upload' : 'hash';
      return this.#add(ref, { source: 'upload', address: null, zip, sha256: hash, verifiedBy }, actor);
    });
  }

  /** Throws `svc_package_not_found`. */
  async delete(id: number, actor: string): Promise<StoredPackage> {
    const { knex, changeLog, files } = this.#deps;
    return this.#exclusively(async () => {
      const deleted = await inTransaction(knex, async ({ trx }) => {
        const repository = new PackageRepository(trx);
        const stored = await repository.get(id);
        await repository.delete(id);
        await changeLog.append(trx, {
          siteId: null,
          type: 'package.deleted',
          description: `Deleted ${describePackage(stored)} from the vault.`,
          actor,
          thing: { name: stored.name, key: stored.slug, before: { version: stored.version } },
        });
        return stored;
      });
      await files.delete(deleted.sha256);
      return deleted;
    });
  }

  /**
   * Opens the zip of a package. Downloads a missing or damaged file again. Throws `svc_package_source_failed` if the
   * download has another hash, or if there is no address, because the package was uploaded.
   */
  async open(stored: StoredPackage): Promise<PackageFile> {
    const { files, directory } = this.#deps;
    const intactFile = await files.open(stored.sha256);
    if (intactFile) return intactFile;
    const sha256 = await this.#once(stored, async () => {
      if (stored.address === null)
        throw packageSourceFailed('The file of the package is missing. Upload the same zip again.');
      const zip = await directory.download(stored.address);
      if ((await sha256OfZip(zip)) !== stored.sourceSha256)
        throw packageSourceFailed('The file of the package is missing, and its source has another one now.');
      return this.#writeAgain(stored, zip);
    });
    const restored = await files.open(sha256);
    if (!restored) throw packageSourceFailed('The file of the package could not be stored again.');
    return restored;
  }

  /** True if the directory still serves the bytes that the vault has. The result is kept for up to five minutes. */
  async isServedByDirectory(stored: StoredPackage): Promise<boolean> {
    const { source, address, sha256, sourceSha256 } = stored;
    if (source !== 'directory' || address === null || sha256 !== sourceSha256) return false;
    return this.#once(stored, async () => {
      const known = this.#compared.get(sha256);
      if (known && performance.now() < known.until) return known.isSame;
      const { value, error } = await attemptCall(() => this.#deps.directory.download(address));
      const isSame = value !== null && (await sha256OfZip(value)) === sha256;
      const keptForMs = error ? failureLifetimeMs(error) : COMPARED_FOR;
      this.#compared.set(sha256, { until: performance.now() + keptForMs, isSame });
      return isSame;
    });
  }

  /** Returns false if the package was deleted. */
  markUsed(id: number): Promise<boolean> {
    return new PackageRepository(this.#deps.knex).touch(id, this.#deps.clock.now());
  }

  /** Deletes some unused packages and returns their number. */
  pruneUnused(): Promise<number> {
    return this.#exclusively(async () => {
      const before = this.#deps.clock.now() - KEPT_UNUSED;
      const kept = await this.#deps.reserved();
      let deleted = 0;
      for (const stored of await new PackageRepository(this.#deps.knex).unused(before, MAX_PACKAGES)) {
        if (deleted === BATCH) break;
        if (!kept.has(stored.id) && (await this.#drop(stored, before))) deleted++;
      }
      return deleted;
    });
  }

  /**
   * Deletes files of the vault that have no package, and returns their number. A process leaves them if it is killed
   * while it stores a package. Younger files may belong to packages that are being stored.
   */
  pruneFiles(): Promise<number> {
    const { knex, clock, files } = this.#deps;
    return this.#exclusively(async () => {
      const stored = await new PackageRepository(knex).hashes();
      let deleted = 0;
      for await (const { path, sha256 } of files.writtenBefore(clock.now() - DAY)) {
        if (sha256 !== null && stored.has(sha256)) continue;
        await rm(path, { force: true });
        deleted++;
      }
      return deleted;
    });
  }

  async #add(ref: PackageRef, incoming: IncomingZip, actor: string): Promise<StoredPackage> {
    const { files } = this.#deps;
    const { bytes, sha256, inspected } = await this.#packedFor(ref, incoming.zip, incoming.sha256);
    const checksums = incoming.source === 'directory' ? await this.#deps.directory.checksums(ref) : null;
    if (checksums) compareChecksums(inspected.files, inspected.folder, checksums);
    const { header, mainFile, unpackedSize } = inspected;
    const added: NewPackage = {
      ...{ kind: ref.kind, slug: ref.slug, version: ref.version, name: header.name, mainFile },
      sha256,
      source: incoming.source,
      address: incoming.address,
      sourceSha256: incoming.sha256,
      verifiedBy: checksums ? 'checksums' : incoming.verifiedBy,
      size: bytes.length,
      unpackedSize,
      fileCount: inspected.files.length,
      requiresWordpress: header.requiresWordpress.slice(0, 32) || null,
      requiresPhp: header.requiresPhp.slice(0, 32) || null,
    };
    return this.#exclusively(async () => {
      await this.#makeRoom(bytes.length);
      await files.write(bytes, sha256);
      return this.#insert(added, actor);
    });
  }

  /**
   * Adds and deletes one package at a time, so that packages that arrive together do not count the same free space, and
   * no deletion removes the file of a package that was added again. Calls of this process queue up before they wait for
   * the lock, because each wait for the lock takes a database connection.
   */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#downloads.runExclusive('room', () => withProcessLock(this.#deps.knex, 'packages', work));
  }

  #insert(added: NewPackage, actor: string): Promise<StoredPackage> {
    const { knex, clock, changeLog } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const repository = new PackageRepository(trx);
      const id = await repository.insert(added, clock.now());
      if (id === null) {
        const other = await repository.find(added);
        if (other?.sourceSha256 === added.sourceSha256) return other;
        throw otherPackage();
      }
      await changeLog.append(trx, {
        siteId: null,
        type: 'package.added',
        description: `Added ${describePackage(added)} to the vault.`,
        actor,
        thing: { name: added.name, key: added.slug, after: { version: added.version } },
      });
      return repository.get(id);
    });
  }

  /** Call this if a caller has sent the hash of a stored package. */
  async #markVerified(stored: StoredPackage): Promise<StoredPackage> {
    if (stored.verifiedBy !== 'upload') return stored;
    await new PackageRepository(this.#deps.knex).setVerifiedBy(stored.id, 'hash');
    return { ...stored, verifiedBy: 'hash' };
  }

  async #restoreFile(stored: StoredPackage, zip: Buffer): Promise<StoredPackage> {
    if (await this.#deps.files.open(stored.sha256)) return stored;
    return { ...stored, sha256: await this.#writeAgain(stored, zip) };
  }

  /**
   * Writes the file of a package again. Its hash can differ, for example if a new version of the zip library packs it.
   */
  async #writeAgain(stored: StoredPackage, zip: Buffer): Promise<string> {
    const { knex, files } = this.#deps;
    const { bytes, sha256 } = await this.#packedFor(stored, zip, stored.sourceSha256);
    await files.write(bytes, sha256);
    if (sha256 !== stored.sha256) await new PackageRepository(knex).setHash(stored.id, sha256);
    return sha256;
  }

  async #packedFor(ref: PackageRef, zip: Buffer, zipSha256: string) {
    const inspected = await inspectZip(zip, ref);
    if (inspected.folder === ref.slug) return { bytes: zip, sha256: zipSha256, inspected };
    const bytes = await renameFolder(zip, inspected.folder, ref.slug);
    return { bytes, sha256: await sha256OfZip(bytes), inspected };
  }

  /**
   * Deletes packages that can be downloaded again. If that does not make enough room, deletes nothing and throws
   * `svc_package_vault_full`.
   */
  async #makeRoom(bytes: number): Promise<void> {
    const { knex, clock, quotaBytes, reserved } = this.#deps;
    const repository = new PackageRepository(knex);
    const used = await repository.usage();
    let [tooManyBytes, tooMany] = [used.bytes + bytes - quotaBytes, used.count + 1 - MAX_PACKAGES];
    if (tooManyBytes <= 0 && tooMany <= 0) return;
    const kept = await reserved();
    const before = clock.now() - IN_USE;
    const dropped: StoredPackage[] = [];
    for (const stored of await repository.unused(before, MAX_PACKAGES)) {
      if (tooManyBytes <= 0 && tooMany <= 0) break;
      if (kept.has(stored.id)) continue;
      dropped.push(stored);
      tooManyBytes -= stored.size;
      tooMany--;
    }
    if (tooManyBytes > 0 || tooMany > 0)
      throw new ConflictError('svc_package_vault_full', 'The vault has no room for another package. Delete some.');
    let isEnough = true;
    for (const stored of dropped) isEnough = (await this.#drop(stored, before)) && isEnough;
    if (!isEnough) await this.#makeRoom(bytes);
  }

  /** Deletes a package unless it was used meanwhile. Returns true if it is deleted. */
  async #drop({ id, sha256 }: StoredPackage, before: number): Promise<boolean> {
    const isDropped = await new PackageRepository(this.#deps.knex).deleteUnused(id, before);
    if (isDropped) await this.#deps.files.delete(sha256);
    return isDropped;
  }

  #once<T>({ kind, slug, version }: PackageRef, work: () => Promise<T>): Promise<T> {
    return this.#downloads.runExclusive(`${kind} ${slug} ${version}`, work);
  }
}
