/** What `x-deprecation` says of an operation, a parameter or a field; days are those of UTC. */
export interface Deprecation {
  /** The day from which on nobody should begin to use it. */
  since: string;
  /** The day on which it may go. */
  sunset: string;
  /** The operation of the same surface that takes its place, or a sentence for people. */
  replacement: string;
}

/** An operation has an id of one word; everything else is meant for people. */
export const isOperationId = (replacement: string): boolean => /^[a-z0-9]+([-_][a-z0-9]+)+$/.test(replacement);
