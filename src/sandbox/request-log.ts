import type { PhpFormFields } from './protocol/form.ts';

/** A request to a site, recorded for tests. Secrets are omitted so that they do not appear in test output. */
export interface RequestEntry {
  method: string;
  path: string;
  /** Name of the child function, `GET` or `HEAD` for a page view, or empty. */
  function: string;
  signed: boolean;
  /** `at` and `finishedAt` are times of `steadyNow`. */
  at: number;
  finishedAt: number | null;
  /** Null while the request is open, or if the connection was cut before the status was sent. */
  status: number | null;
  fields: PhpFormFields;
  headers: Record<string, string | string[] | undefined>;
  /** True if the request reached WordPress: no fault answered it or cut it off before. */
  reached: boolean;
}

const steadyMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const START = Date.now() - steadyMs();

/** Returns the Unix time in milliseconds, with fractions. It never goes back when the clock of the machine is set. */
export const steadyNow = (): number => START + steadyMs();

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

export function withoutSecrets(fields: PhpFormFields): PhpFormFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !SECRET_FIELDS.has(name)));
}

export function withoutSecretHeaders(headers: RequestEntry['headers']): RequestEntry['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name)));
}

export class ConcurrencyGauge {
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
