/** Days are in UTC. */
export interface Deprecation {
  since: string;
  sunset: string;
  /** ID of the operation on the same surface that replaces the deprecated one, or a sentence. */
  replacement: string;
}

export const isOperationId = (replacement: string): boolean => /^[a-z0-9]+([-_][a-z0-9]+)+$/.test(replacement);
