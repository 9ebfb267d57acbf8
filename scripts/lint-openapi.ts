/** Lints twice: layout rules over the sources, rules of meaning over what is served. */
import { redocly } from './contract/bundle.ts';

try {
  await redocly('lint', 'abilities', 'v2', 'abilities-bundle', 'v2-bundle');
  console.log('The contract is clean.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
