import type { Fields } from '../protocol/form.ts';
import type { Reply } from '../protocol/reply.ts';
import type { SiteState, User } from '../state/types.ts';
import type { UpdateFailure } from './update-failures.ts';

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
  stubborn: new Set(),
  unwritable: new Set(),
  fatalOnActivation: new Set(),
  stopsActivation: new Map(),
  foreignPackages: new Set(),
});

/** One authenticated request, as an operation sees it. */
export interface Call {
  state: SiteState;
  defects: Defects;
  fields: Fields;
  /** The logged-in user; absent when the request named none (protocol 3.2). */
  user: User | undefined;
  /** The site's address without trailing slash, as WordPress stores it. */
  siteUrl: string;
  secure: boolean;
  /** Unix seconds, with fraction. */
  now: number;
  /** Whether the request brought a valid login cookie: then no reconnect token can be made (protocol 2.5). */
  hadCookie: boolean;
}

export type Operation = (call: Call) => Reply;

/** PHP's whole seconds. */
export function seconds(call: Call): number {
  return Math.floor(call.now);
}

/** `YYYY-MM-DD HH:MM:SS` in UTC, which is also every simulated site's local time. */
export function sqlDate(unix: number): string {
  return new Date(unix * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
