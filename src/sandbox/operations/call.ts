import type { Fields } from '../protocol/form.ts';
import type { Reply } from '../protocol/reply.ts';
import type { SiteState, User } from '../state/types.ts';
import type { Defects } from './defects.ts';

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
