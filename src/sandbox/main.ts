#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startFleet, type FleetOptions } from './index.ts';

const USAGE = `Start a simulated fleet of WordPress sites with the MainWP Child plugin.

  npm run sandbox -- [options]

  --sites N      number of sites (default 25)
  --port N       port of all sites (default 9100; 0 uses any free port)
  --ips N        put the sites on N addresses with one path per site (default: one address per site)
  --tls          serve https with a certificate that is created at the start
  --latency MS   delay of each response in milliseconds (default 0)
  --seed N       seed of the random sites (default 1)
  --json         print one line of JSON per site, then {"ready": true}
  --help         show this help
`;

interface Command {
  options: FleetOptions;
  json: boolean;
}

function readCommand(argv: string[]): Command | 'help' | { mistake: string } {
  let values;
  try {
    values = parseArgs({
      args: argv,
      strict: true,
      options: {
        sites: { type: 'string', default: '25' },
        port: { type: 'string', default: '9100' },
        ips: { type: 'string' },
        tls: { type: 'boolean', default: false },
        latency: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return 'help';
  const numbers: [string, string | undefined, number, number][] = [
    ['sites', values.sites, 1, 100_000],
    ['port', values.port, 0, 65_535],
    ['ips', values.ips, 1, 100_000],
    ['latency', values.latency, 0, 600_000],
    ['seed', values.seed, 0, 2 ** 31],
  ];
  for (const [name, text, low, high] of numbers) {
    if (text === undefined) continue;
    if (!/^\d+$/.test(text) || Number(text) < low || Number(text) > high) {
      return { mistake: `--${name} must be a whole number from ${low} to ${high}, not "${text}"` };
    }
  }
  return {
    json: values.json,
    options: {
      sites: Number(values.sites),
      port: Number(values.port),
      ...(values.ips === undefined ? {} : { ips: Number(values.ips) }),
      tls: values.tls,
      latencyMs: Number(values.latency),
      seed: Number(values.seed),
    },
  };
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  if (command === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  if ('mistake' in command) {
    process.stderr.write(`${command.mistake}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const fleet = await startFleet(command.options);
  const lines = fleet.sites.map((site) =>
    command.json
      ? JSON.stringify({ url: site.url, admin: site.admin, admin_password: site.adminPassword })
      : `${site.url}  ${site.admin}  ${site.adminPassword}`,
  );
  lines.push(command.json ? JSON.stringify({ ready: true }) : `${lines.length} sites are ready. Ctrl-C ends them.`);
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void fleet.close());
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`The fleet could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
