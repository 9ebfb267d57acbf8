/** The service does not respond (status null), or its response leaves nothing to check. */
export class CheckNotPossible extends Error {
  override readonly name = 'CheckNotPossible';
  readonly status: number | null;

  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** No operation that is checked matches the pattern, so a report would pass without a check. */
export class NothingToCheck extends Error {
  override readonly name = 'NothingToCheck';
}
