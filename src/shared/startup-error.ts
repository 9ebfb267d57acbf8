/** Error that ends the start of the service. Its message tells the operator the cause and the remedy. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}

/** Returns one line for errors that the operator can fix. Other errors are bugs and need the stack. */
export function startupErrorMessage(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const { code, stack } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE')
    return (
      `Too many files are open (${code}). Allow the process 1,024 open files or more, ` +
      'with `ulimit -n` or with LimitNOFILE of systemd.'
    );
  return stack ?? String(error);
}
