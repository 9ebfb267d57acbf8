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

/** Faults of a site that tests set. Keys of items are plugin files, theme stylesheets, translation slugs or `core`. */
export interface Defects {
  /** Items, package names and URLs of images and uploads whose download fails. */
  failingPackages: Set<string>;
  updateFailures: Map<string, UpdateFailure>;
  /** Items whose new version breaks the whole site, with a fatal error in the WordPress hook `init`. */
  breaking: Set<string>;
  /** Items whose new version has a parse error: it breaks the whole site, and cannot be activated. */
  unparsable: Set<string>;
  networkActive: Set<string>;
  /** True if the site is a multisite. `networkActive` makes it one, too. */
  isMultisite: boolean;
  /** False if the connected administrator of a multisite may not see the plugins of the network. Default: true. */
  hasNetworkRights: boolean;
  /**
   * Items whose new version has a fatal error in the hook `admin_init`. Signed calls and the home page do not run it.
   */
  breakingAdmin: Set<string>;
  /** Items whose new version ends every request in the hook `init`, with status 200 and an empty body. */
  dying: Set<string>;
  /** Items whose new version crashes PHP in the hook `init`, so that the web server answers with status 502. */
  crashing: Set<string>;
  /** Status of the home page after the update of an item. 0 means that no response is sent. */
  breakingPage: Map<string, number>;
  /** Maps plugins to the status of the home page while they are installed but inactive. */
  neededPlugins: Map<string, number>;
  /**
   * Items whose new version has a fatal error in the content of the sample page. The headers of the page are sent by
   * then, so the status is 200.
   */
  breakingContent: Set<string>;
  /**
   * HTTP status that visitors get for the home page and the sample page, as on a site that is not public yet.
   * Administrators see the pages. Null for a public site.
   */
  closedPages: number | null;
  /** HTML that the child plugin gets when it opens any page of its own site. Null for the real page. */
  visitedPage: string | null;
  /**
   * Cache in front of WordPress that serves the home page: only without a query (`by-query`), or with any query
   * (`any-query`). Null without a cache.
   */
  pageCache: 'by-query' | 'any-query' | null;
  /** Items that are reported as changed although they are not: `post 7` for post 7, `new post` for new posts. */
  falseSuccesses: Set<string>;
  /** Items whose folder is missing after their next installation, because PHP was killed during the exchange. */
  losesFiles: Set<string>;
  unwritable: Set<string>;
  fatalOnActivation: Set<string>;
  /** Plugins whose new version deactivates itself after the response to its activation. */
  deactivatesItself: Set<string>;
  /** Maps a plugin file to a text. The activation of the plugin prints the text and ends the call. */
  stopsActivation: Map<string, string>;
  /** Maps plugin files to the main file of their new version, in the same folder. */
  renamedFiles: Map<string, string>;
  /** Folders of packages that contain no item of the requested type (plugin or theme). */
  foreignPackages: Set<string>;
  /** True if `wp-content` is outside of the root. Must-use plugins are then downloaded to another folder. */
  otherMuFolder: boolean;
  /** True if everybody can write to the folder of must-use plugins, and PHP cannot change that. */
  openMuFolder: boolean;
  guardFilesStay: boolean;
  /** True if a package is derived from its file name, not downloaded. Tests that replay recorded calls need this. */
  namedPackages: boolean;
}

export const noDefects = (): Defects => ({
  failingPackages: new Set(),
  updateFailures: new Map(),
  breaking: new Set(),
  unparsable: new Set(),
  networkActive: new Set(),
  isMultisite: false,
  hasNetworkRights: true,
  breakingAdmin: new Set(),
  dying: new Set(),
  crashing: new Set(),
  breakingPage: new Map(),
  neededPlugins: new Map(),
  breakingContent: new Set(),
  closedPages: null,
  visitedPage: null,
  pageCache: null,
  falseSuccesses: new Set(),
  losesFiles: new Set(),
  unwritable: new Set(),
  fatalOnActivation: new Set(),
  deactivatesItself: new Set(),
  stopsActivation: new Map(),
  renamedFiles: new Map(),
  foreignPackages: new Set(),
  otherMuFolder: false,
  openMuFolder: false,
  guardFilesStay: false,
  namedPackages: false,
});
