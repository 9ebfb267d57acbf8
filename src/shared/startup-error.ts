/**
 * Something of the surroundings keeps the process from starting; the message says to an operator what, and what to do.
 */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
