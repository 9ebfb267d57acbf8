import { checkOpenFileLimit } from './shared/open-file-check.ts';
import { startupErrorMessage } from './shared/startup-error.ts';

try {
  checkOpenFileLimit();
  // Imported here and not at the top: Node opens many files for it. If the process may not open so many, the error is
  // caught here.
  const { serve } = await import('./service/serve.ts');
  await serve();
} catch (error) {
  process.stderr.write(`${startupErrorMessage(error)}\n`);
  process.exit(1);
}
