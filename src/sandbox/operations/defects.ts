/** How updates fail, as real children were seen to tell it. */
export const UPDATE_FAILURES = [
  'no_package',
  'download_failed',
  'incompatible_archive',
  'incompatible_archive_empty',
  'incompatible_archive_no_plugins',
  'files_not_writable',
  'mkdir_failed_ziparchive',
  'remove_old_failed',
  'incompatible_wp_required_version',
  'incompatible_php_required_version',
] as const;
export type UpdateFailure = (typeof UPDATE_FAILURES)[number];

/** Ways a site's own files misbehave, whatever is asked of it: set by tests, read by operations. */
export interface Defects {
  /**
   * Plugin files, stylesheets, package names, translation slugs, addresses of images or `core` whose download fails.
   */
  failingPackages: Set<string>;
  /** Plugin files, stylesheets, translation slugs or `core` whose update fails, and of what. */
  updateFailures: Map<string, UpdateFailure>;
  /** Plugin files and stylesheets whose new version breaks the site as soon as it runs. */
  breaking: Set<string>;
  /**
   * Plugin files, stylesheets or `core` whose new version breaks the home page and nothing else, and what that answers
   * then; 0 is no answer.
   */
  breakingPage: Map<string, number>;
  /** Plugin files and stylesheets that are reported as changed and stay as they are. */
  stubborn: Set<string>;
  /** Plugin files and stylesheets whose folder may not be removed. */
  unwritable: Set<string>;
  /** Plugin files whose activation dies in a PHP fatal error. */
  fatalOnActivation: Set<string>;
  /** Plugin files that end the call of their activation with this text. */
  stopsActivation: Map<string, string>;
  /** Folders of packages that hold nothing of the kind that is installed. */
  foreignPackages: Set<string>;
}

export const noDefects = (): Defects => ({
  failingPackages: new Set(),
  updateFailures: new Map(),
  breaking: new Set(),
  breakingPage: new Map(),
  stubborn: new Set(),
  unwritable: new Set(),
  fatalOnActivation: new Set(),
  stopsActivation: new Map(),
  foreignPackages: new Set(),
});
