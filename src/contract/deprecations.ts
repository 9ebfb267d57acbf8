/** Value of `x-deprecation`. Days are in UTC. */
export interface Deprecation {
  since: string;
  /** Earliest day of the removal. */
  sunset: string;
  /** ID of the operation on the same surface that replaces it, or a sentence. */
  replacement: string;
}

export const isOperationId = (replacement: string): boolean => /^[a-z0-9]+([-_][a-z0-9]+)+$/.test(replacement);
