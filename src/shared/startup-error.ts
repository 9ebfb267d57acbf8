/** The message tells the operator the cause and the remedy. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
