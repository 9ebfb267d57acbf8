import { ERROR_STATUSES, type ErrorCode, type ErrorDetails } from '../../generated/sdk/errors.ts';

interface ServiceErrorFields<Code extends string, Data> extends Error {
  readonly name: 'SitefleetError';
  /** Code that does not change between releases. Comparing `code` narrows the type of `data`. */
  readonly code: Code;
  readonly status: number;
  readonly data: Data;
  readonly requestId: string | null;
  /** True for status 429 and 503: the same call may succeed later. */
  readonly isRetriable: boolean;
}

/** A response that is not from the service, for example from a proxy, or that does not follow its contract. */
export type UnknownAnswer = ServiceErrorFields<'unknown', Record<string, unknown>>;

export type SitefleetError<Codes extends ErrorCode | 'unknown' = ErrorCode | 'unknown'> = Codes extends ErrorCode
  ? ServiceErrorFields<Codes, ErrorDetails<Codes>>
  : UnknownAnswer;

class ServiceRefusalError extends Error {
  override readonly name = 'SitefleetError';
  readonly code: string;
  readonly status: number;
  readonly data: object;
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const { code, message, data } = refusalIn(body) ?? {
      code: 'unknown',
      message: `The service answered ${status} with a body that does not follow its contract.`,
      data: {},
    };
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
    this.requestId = requestId;
  }

  get isRetriable(): boolean {
    return this.status === 429 || this.status === 503;
  }
}

function refusalIn(body: unknown): { code: string; message: string; data: object } | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, message, data } = body as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  return { code, message, data: typeof data === 'object' && data !== null ? data : {} };
}

export const SitefleetError = ServiceRefusalError as unknown as {
  new (status: number, body: unknown, requestId: string | null): SitefleetError;
  readonly prototype: SitefleetError;
};

/** True if `error` is a `SitefleetError`, and has one of `codes` if any are given. */
export function isRefusal<Codes extends ErrorCode | 'unknown' = ErrorCode | 'unknown'>(
  error: unknown,
  ...codes: Codes[]
): error is SitefleetError<Codes> {
  return error instanceof ServiceRefusalError && (codes.length === 0 || (codes as string[]).includes(error.code));
}

/** Thrown if the service could not be reached, or if the connection was lost before the response was complete. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Thrown if the call took longer than its timeout. The service may still have executed it. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

export { ERROR_STATUSES };
