/** Holds a running service against the contract, by calls that change nothing. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatJunit, formatReport } from './report.ts';
import { verify } from './verify.ts';

const USAGE = `npm run contract:verify -- --url <address> --key <API key> [--user <name> --password <password>] [--live]

Calls every operation of the service that changes nothing, with what its own lists show to exist, and compares every
answer with the contract: status, headers, kind of content, body; pages, order, _fields, ETags, refusals, credentials.

  --url       address of the service, e.g. http://127.0.0.1:8080
  --key       an API key that may read everything; SITEFLEET_API_KEY by default
  --user      name and application password, instead of a key or beside it; SITEFLEET_PASSWORD is the default of
  --password  the latter
  --live      operations that call sites as well
  --only      a pattern of operation ids
  --json      for machines: {url, calls, findings}
  --junit     file for CI

Ends with 0 when the service keeps its contract, with 1 when it does not, with 2 when that cannot be told.`;

try {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      key: { type: 'string' },
      user: { type: 'string' },
      password: { type: 'string' },
      live: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      junit: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) console.log(USAGE);
  else {
    const { url, live, only, json, junit, user } = values;
    const key = values.key ?? process.env['SITEFLEET_API_KEY'];
    const password = values.password ?? process.env['SITEFLEET_PASSWORD'];
    if (url === undefined) throw new Error(`--url is missing.\n\n${USAGE}`);
    if (key === undefined && (user === undefined || password === undefined))
      throw new Error('--key is missing, or --user and --password.');
    const credentials = { key, ...(user === undefined ? {} : { user, password }) };
    const report = await verify({ url, credentials, live, only: only === undefined ? null : new RegExp(only) });
    if (report.findings.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
    if (junit !== undefined) await writeFile(junit, formatJunit(report));
    console.log(json ? JSON.stringify(report, null, 1) : formatReport(report));
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
