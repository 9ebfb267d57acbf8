/**
 * `npm run dev`: the service, started again when src/ changes; generated/ is made again when openapi/ changes. What the
 * environment says goes before the defaults here.
 */
import { spawn } from 'node:child_process';
import { generateAgain, watchFolder } from './watch-folder.ts';

const DEFAULTS = {
  SITEFLEET_DATA_DIR: './data/dev',
  SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
  SITEFLEET_RESPONSE_CHECKS: 'log',
};

console.log('Development; what is not set in the environment is:');
const env: NodeJS.ProcessEnv = { ...DEFAULTS, ...process.env };
for (const [name, value] of Object.entries(DEFAULTS)) if (env[name] === value) console.log(`  ${name}=${value}`);
console.log('Sites to try it with: npm run sandbox -- --sites 25\n');

// The documents are read, not imported, so that the watcher must be told of them.
const service = spawn(
  process.execPath,
  ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', '--include=generated/*.json', 'src/main.ts'],
  { env, stdio: 'inherit' },
);
const contract = watchFolder('openapi', async () => {
  console.log('openapi/ has changed.');
  await generateAgain();
  console.log('generated/ is made again.');
});
service.on('exit', (code) => {
  contract.close();
  process.exitCode = code ?? 0;
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal));
