/** Lints twice: layout rules over the sources, rules of meaning over what is served. */
import { bundle, redocly, SURFACES } from './contract/bundle.ts';
import { misnamed } from './contract/parts.ts';

try {
  await redocly('lint', 'abilities', 'v2', 'abilities-bundle', 'v2-bundle');
  const problems = await Promise.all(SURFACES.map(async (surface) => misnamed(surface, await bundle(surface))));
  if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
  console.log('The contract is clean.');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
