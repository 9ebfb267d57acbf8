import type { Fields } from '../protocol/form.ts';
import type { Reply } from '../protocol/reply.ts';
import type { SiteState, User } from '../state/types.ts';

/** Ways a site's own files misbehave, whatever is asked of it: set by tests, read by operations. */
export interface Defects {
  /** Plugin files, stylesheets, package names, translation slugs, addresses of images or `core` whose download fails. */
  failingPackages: Set<string>;
  /** Plugin files and stylesheets that are reported as changed and stay as they are. */
  stubborn: Set<string>;
  /** Plugin files whose activation dies in a PHP fatal error. */
  fatalOnActivation: Set<string>;
}

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
