import { checkOpenFileLimit } from './shared/open-file-check.ts';
import { startupErrorMessage } from './shared/startup-error.ts';

try {
  checkOpenFileLimit();
  // Loaded here, so that an error of the many files that Node opens for it is caught.
  const { serve } = await import('./service/serve.ts');
  await serve();
} catch (error) {
  process.stderr.write(`${startupErrorMessage(error)}\n`);
  process.exit(1);
}
