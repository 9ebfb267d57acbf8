/**
 * `npm run dev`: runs the service and restarts it after a change in src/. Writes generated/ after a change in openapi/.
 * The environment takes precedence over the defaults here.
 */
import { spawn } from 'node:child_process';
import { generateAgain, watchFolder } from './watch-folder.ts';

const DEFAULTS = {
  SITEFLEET_DATA_DIR: './data/dev',
  SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
  SITEFLEET_RESPONSE_CHECKS: 'log',
};

console.log('Development mode with these defaults:');
const env: NodeJS.ProcessEnv = { ...DEFAULTS, ...process.env };
for (const [name, value] of Object.entries(DEFAULTS)) if (env[name] === value) console.log(`  ${name}=${value}`);
console.log('For simulated sites, run: npm run sandbox -- --sites 25\n');

// The service reads the documents and does not import them, so the watcher needs their names.
const service = spawn(
  process.execPath,
  ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', '--include=generated/*.json', 'src/main.ts'],
  { env, stdio: 'inherit' },
);
const contract = watchFolder('openapi', async () => {
  console.log('openapi/ has changed.');
  await generateAgain();
  console.log('generated/ is up to date.');
});
service.on('exit', (code) => {
  contract.close();
  process.exitCode = code ?? 0;
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal));
