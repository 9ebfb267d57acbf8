import type { Download } from '../downloads.ts';
import type { PhpFormFields } from '../protocol/form.ts';
import type { Reply } from '../protocol/reply.ts';
import type { SiteState, User } from '../state/site-state.ts';
import type { Defects } from './defects.ts';

export interface Call {
  state: SiteState;
  defects: Defects;
  fields: PhpFormFields;
  user: User | undefined;
  /** URL of the site without a trailing slash, as WordPress stores it. */
  siteUrl: string;
  secure: boolean;
  /** Unix time in seconds, with a fraction. */
  now: number;
  /**
   * True if the request had a valid login cookie. In this case, the child cannot create a reconnect token (protocol
   * 2.5).
   */
  hadCookie: boolean;
  downloads: ReadonlyMap<string, Download>;
}

export type Operation = (call: Call) => Reply;

export function unixSecondsOf(call: Call): number {
  return Math.floor(call.now);
}

export function toSqlDate(unix: number): string {
  return new Date(unix * 1000).toISOString().slice(0, 19).replace('T', ' ');
}
