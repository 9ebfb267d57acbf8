import type { Defects, UpdateFailure } from './defects.ts';

const STEPS = [
  'Downloading update',
  'Unpacking the update',
  'Installing the latest version',
  'Removing the old version',
];

interface FailureText {
  text: string;
  detail?: string;
  steps: 0 | 1 | 2 | 3 | 4;
}

const NOT_INSTALLED = 'The package could not be installed.';
const NOT_COPIED =
  'The update cannot be installed because some files could not be copied. This is usually due to inconsistent file permissions.';

const FAILURE_TEXTS: Record<UpdateFailure, FailureText> = {
  no_package: { text: 'Update package not available.', steps: 0 },
  download_failed: { text: 'Download failed.', detail: ' Not Found', steps: 1 },
  incompatible_archive: {
    text: NOT_INSTALLED,
    detail: ' PCLZIP_ERR_BAD_FORMAT (-10) : Unable to find End of Central Dir Record signature',
    steps: 2,
  },
  incompatible_archive_empty: { text: NOT_INSTALLED, steps: 3 },
  incompatible_archive_no_plugins: { text: NOT_INSTALLED, detail: ' No valid plugins were found.', steps: 3 },
  files_not_writable: { text: NOT_COPIED, detail: ' main.php, Update error. main.php', steps: 4 },
  mkdir_failed_ziparchive: { text: 'Could not create directory.', steps: 2 },
  remove_old_failed: { text: 'Could not remove the old plugin.', steps: 4 },
  incompatible_wp_required_version: {
    text: 'Your WordPress version is 6.9.7, however the new % version requires 99.0.',
    steps: 0,
  },
  incompatible_php_required_version: {
    text: 'The PHP version on your server is 8.2.36, however the new % version requires 99.0.',
    steps: 0,
  },
};

export interface ReportedFailure {
  codes: string;
  /** Message in the frame. The printed log contains `printed` instead. */
  text: string;
  printed: string;
  steps: readonly string[];
  /** True if the package was unpacked. The response then contains the unescaped name and the old version. */
  unpacked: boolean;
}

export function updateFailureOf(
  { updateFailures, failingPackages }: Defects,
  slug: string,
  kind: 'plugin' | 'theme' | 'core' | 'translation',
): ReportedFailure | undefined {
  const failure = updateFailures.get(slug) ?? (failingPackages.has(slug) ? 'download_failed' : undefined);
  if (failure === undefined) return undefined;
  const { text, detail = '', steps } = FAILURE_TEXTS[failure];
  const unpacked = steps > 2;
  const words = text.replace('%', kind);
  return {
    codes: unpacked ? `${failure},mainwp_update_error_code` : failure,
    text: words,
    printed: words + detail,
    steps: STEPS.slice(0, steps),
    unpacked,
  };
}
