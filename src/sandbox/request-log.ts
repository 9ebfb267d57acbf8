import type { Fields } from './protocol/form.ts';

/**
 * What a site was asked, for tests to look at: bounded, and without what would open the site to a reader of a test's
 * output.
 */
export interface RequestEntry {
  method: string;
  path: string;
  /** The child function, or `GET`/`HEAD` for a page view, or empty. */
  function: string;
  signed: boolean;
  /** Unix milliseconds. */
  at: number;
  finishedAt: number | null;
  /** Status sent, or null while open or when the connection was cut without one. */
  status: number | null;
  /** The parameters, secrets left out. */
  fields: Fields;
  headers: Record<string, string | string[] | undefined>;
  /** Nothing stood before the child plugin: it was asked. */
  reached: boolean;
}

const SECRET_FIELDS = new Set([
  'mainwpsignature',
  'userpwd',
  'regverify',
  'user_pass',
  'new_password',
  'new_user',
  'extra',
]);
const SECRET_HEADERS = new Set(['authorization', 'cookie']);

export function withoutSecrets(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !SECRET_FIELDS.has(name)));
}

export function withoutSecretHeaders(headers: RequestEntry['headers']): RequestEntry['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name)));
}

/** Requests open at the same time: how many now, and the most there ever were. */
export class Gauge {
  current = 0;
  highest = 0;
  total = 0;

  enter(): void {
    this.total += 1;
    this.current += 1;
    if (this.current > this.highest) this.highest = this.current;
  }

  leave(): void {
    this.current -= 1;
  }

  reset(): void {
    this.highest = this.current;
    this.total = 0;
  }
}
