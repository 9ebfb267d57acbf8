import { ConflictError, NotFoundError, PackageSourceError, type ErrorData } from '../../shared/errors.ts';

export type PackageKind = 'plugin' | 'theme';

/** `slug` is the name of the folder of the plugin or theme. For a theme, WordPress calls it the stylesheet. */
export interface PackageRef {
  kind: PackageKind;
  slug: string;
  version: string;
}

export type PackageSource = 'directory' | 'address' | 'upload';

/**
 * `checksums`: each file has the hash that the directory publishes. `hash`: the operator named the hash of the zip.
 * `upload`: the operator sent the zip itself.
 */
export type Verification = 'checksums' | 'hash' | 'upload';

export interface NewPackage extends PackageRef {
  name: string;
  /** Main file of a plugin below its folder, or `style.css`. */
  mainFile: string;
  /** SHA-256 of the stored zip. It differs from `sourceSha256` if the zip was packed again. */
  sha256: string;
  source: PackageSource;
  /** URL of the zip. Null for an upload. */
  address: string | null;
  sourceSha256: string;
  verifiedBy: Verification | null;
  size: number;
  unpackedSize: number;
  fileCount: number;
  requiresWordpress: string | null;
  requiresPhp: string | null;
}

export interface StoredPackage extends NewPackage {
  id: number;
  createdAt: number;
  lastUsedAt: number;
}

export interface PackageFilter {
  kind?: PackageKind;
  slug?: string;
  source?: PackageSource;
}

const MEGABYTE = 1024 * 1024;

export const ZIP_LIMITS = { bytes: 64 * MEGABYTE, unpackedBytes: 256 * MEGABYTE, files: 20_000 } as const;

export const REFUSAL_REASONS = [
  'damaged',
  'too_large',
  'too_many_files',
  'unsafe_path',
  'link',
  'no_folder',
  'several_folders',
  'no_item',
  'other_item',
  'other_version',
  'checksum_mismatch',
  'hash_mismatch',
  'protected',
  'wordpress_too_old',
  'php_too_old',
  'not_verified',
] as const;
export type PackageRefusalReason = (typeof REFUSAL_REASONS)[number];

export const packageRefused = (reason: PackageRefusalReason, message: string, cause?: unknown): ConflictError =>
  new ConflictError('svc_package_refused', message, { reason }, { cause });

/** Also thrown for packages that a limited caller may not get, so that the caller does not learn of them. */
export const releaseNotFound = (): NotFoundError => packageNotFound('The source has no package of this version.');

export const packageNotFound = (message = 'The vault has no such package.'): NotFoundError =>
  new NotFoundError('svc_package_not_found', message);

export const packageSourceFailed = (message: string, data: ErrorData = {}, cause?: unknown): PackageSourceError =>
  new PackageSourceError('svc_package_source_failed', message, data, { cause });

export const describePackage = ({ kind, slug, version }: PackageRef): string => `the ${kind} ${slug} ${version}`;
