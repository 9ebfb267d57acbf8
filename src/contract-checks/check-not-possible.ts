/** Thrown if the service does not respond (`status` is null), rejects the credentials, or serves no contract. */
export class CheckNotPossible extends Error {
  override readonly name = 'CheckNotPossible';
  readonly status: number | null;

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/**
 * Thrown if the pattern `only` matches no operation that can be checked. Without this error, the report would pass
 * without a check.
 */
export class NothingToCheck extends Error {
  override readonly name = 'NothingToCheck';
}
