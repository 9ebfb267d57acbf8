import { ERROR_STATUSES, type ErrorCode, type ErrorDetails } from '../../generated/sdk/errors.ts';

/** What every refusal says, whatever its code. */
interface Refusal<Code extends string, Data> extends Error {
  readonly name: 'SitefleetError';
  /** Stable; narrowing on it narrows `data`. */
  readonly code: Code;
  /** The HTTP status; 0 for an answer that never came. */
  readonly status: number;
  readonly data: Data;
  /** Names the call in the log of the service. */
  readonly requestId: string | null;
  /** Whether the same call may go well later. */
  readonly isRetriable: boolean;
}

/** What came from something in front of the service, or from no service of this contract. */
export type UnknownAnswer = Refusal<'unknown', Record<string, unknown>>;

/** A refused call with one of these codes; a union, so that `error.code` narrows `error.data`. */
export type SitefleetError<Codes extends ErrorCode | 'unknown' = ErrorCode | 'unknown'> = Codes extends ErrorCode
  ? Refusal<Codes, ErrorDetails<Codes>>
  : UnknownAnswer;

class RefusedCall extends Error {
  override readonly name = 'SitefleetError';
  readonly code: string;
  readonly status: number;
  readonly data: object;
  readonly requestId: string | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const { code, message, data } = refusalIn(body) ?? {
      code: 'unknown',
      message: `The service answered ${status}, and not in the form of its contract.`,
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

/** A call that was refused. `code` is stable, and each code has its own `data`. */
export const SitefleetError = RefusedCall as unknown as {
  new (status: number, body: unknown, requestId: string | null): SitefleetError;
  readonly prototype: SitefleetError;
};

/** Whether something thrown is a refusal, and with one of these codes where some are named. */
export function isRefusal<Codes extends ErrorCode | 'unknown' = ErrorCode | 'unknown'>(
  error: unknown,
  ...codes: Codes[]
): error is SitefleetError<Codes> {
  return error instanceof RefusedCall && (codes.length === 0 || (codes as string[]).includes(error.code));
}

/** The service did not answer: it could not be reached, or the connection was lost. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The time that a call was given is over. Whether it had its effect is not known. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

export { ERROR_STATUSES };
