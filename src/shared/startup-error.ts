/** Error that ends the start of the service. Its message tells the operator the cause and the remedy. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
