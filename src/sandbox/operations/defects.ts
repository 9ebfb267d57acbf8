/** Reasons for failed updates, as real child plugins report them. */
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

/** Faulty plugins, themes and packages of a site. Tests set them, operations read them. */
export interface Defects {
  /** Plugin files, stylesheets, package names, translation slugs, image URLs or `core` whose download fails. */
  failingPackages: Set<string>;
  /** Maps plugin files, stylesheets, translation slugs or `core` to the reason why their update fails. */
  updateFailures: Map<string, UpdateFailure>;
  /** Plugin files and stylesheets whose new version breaks the whole site as soon as it runs. */
  breaking: Set<string>;
  /**
   * Maps plugin files, stylesheets or `core` to the status of the home page after their update. Only the home page
   * breaks. With status 0, no response is sent.
   */
  breakingPage: Map<string, number>;
  /** Plugin files and stylesheets that are reported as changed although they are not. */
  falseSuccesses: Set<string>;
  /** Plugin files and stylesheets whose folder cannot be deleted. */
  unwritable: Set<string>;
  /** Plugin files whose activation causes a PHP fatal error. */
  fatalOnActivation: Set<string>;
  /** Maps plugin files to a text. Their activation prints it and ends the call. */
  stopsActivation: Map<string, string>;
  /** Folders of packages that contain nothing of the type to install. */
  foreignPackages: Set<string>;
}

export const noDefects = (): Defects => ({
  failingPackages: new Set(),
  updateFailures: new Map(),
  breaking: new Set(),
  breakingPage: new Map(),
  falseSuccesses: new Set(),
  unwritable: new Set(),
  fatalOnActivation: new Set(),
  stopsActivation: new Map(),
  foreignPackages: new Set(),
});
