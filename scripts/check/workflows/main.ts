/** Runs the workflows of openapi/workflows against a service, one after another. */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startSimulatedService } from '../../../src/demo/simulated-service.ts';
import { writeWorkflowFolder, withTemporaryFolder } from './folder.ts';
import { runRespect, type WorkflowResult } from './respect.ts';

const USAGE = `npm run workflows -- [<name> …] [--url <address> --key <API key> --input <name>=<value> …] [--json]

Runs the workflows of openapi/workflows. Without --url the command starts a service with two simulated sites.

  --url     address of a running service, e.g. http://127.0.0.1:8080
  --key     API key that can read and write (default: SITEFLEET_API_KEY)
  --input   input of a workflow: site=1, site_url=…, site_admin=…, site_password=…
  --json    prints JSON: one object per workflow

Workflows change the site: connect-and-sync needs a site that is not managed, and the others need a managed site.`;

type Inputs = Record<string, string | number>;
interface Options {
  names: string[];
  url: string | undefined;
  key: string;
  inputs: Inputs;
  json: boolean;
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      key: { type: 'string', default: process.env['SITEFLEET_API_KEY'] ?? '' },
      input: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { url, key, json, input } = values;
  if (values.help) console.log(USAGE);
  else await run({ names: positionals, url, key, inputs: readInputs(input), json });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

function readInputs(pairs: string[]): Inputs {
  return Object.fromEntries(
    pairs.map((each) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(each) ?? [];
      if (name === '') throw new Error(`--input must be like site=1, not ${each}.`);
      return [name, /^\d+$/.test(value) ? Number(value) : value];
    }),
  );
}

async function run({ names, url, key, inputs, json }: Options): Promise<void> {
  if (url !== undefined) return report(await runAt(url, names, { key, ...inputs }), json);
  const service = await startSimulatedService({ sites: 2 });
  try {
    const [fresh, managed] = service.fleet.sites;
    if (!fresh || !managed) throw new Error('The simulated fleet has no two sites.');
    const { sites } = service.container.services.sites;
    const { id } = await sites.add(
      { url: managed.url, admin: managed.admin, password: managed.adminPassword },
      'workflows',
    );
    const own = { site: id, site_url: fresh.url, site_admin: fresh.admin, site_password: fresh.adminPassword };
    report(await runAt(service.url, names, { key: service.apiKey, ...own, ...inputs }), json);
  } finally {
    await service.close();
  }
}

function runAt(url: string, names: string[], inputs: Inputs): Promise<WorkflowResult[]> {
  return withTemporaryFolder(async (folder) => {
    const files = await writeWorkflowFolder(folder, url.replace(/\/$/, ''));
    const unknown = names.find((name) => !files.has(name));
    if (unknown !== undefined)
      throw new Error(`There is no workflow ${unknown}; there are ${[...files.keys()].join(', ')}.`);
    const wanted = [...files].filter(([name]) => names.length === 0 || names.includes(name)).map(([, file]) => file);
    return runRespect(wanted, { run: randomUUID(), ...inputs }, folder);
  });
}

function report(all: WorkflowResult[], json: boolean): void {
  if (all.some(({ failed }) => failed.length > 0)) process.exitCode = 1;
  if (json) return console.log(JSON.stringify(all, null, 1));
  for (const { name, steps, failed } of all) {
    console.log(`${failed.length === 0 ? 'passed' : 'FAILED'}  ${name}, ${steps} steps`);
    for (const { step, reasons } of failed) for (const reason of reasons) console.log(`  ${step}: ${reason}`);
  }
}
