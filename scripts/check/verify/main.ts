/** Checks a running service against the contract, with calls that change nothing. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatJunit, formatReport } from './report.ts';
import { verify } from './verify.ts';

const USAGE = `npm run contract:verify -- --url <address> --key <API key> [--user <name> --password <password>] [--live]

Calls every operation of the service that changes nothing, with values from its own lists. Compares each response with
the contract: status, headers, content type, body, pages, order, _fields, ETags, errors and credentials.

  --url       address of the service, e.g. http://127.0.0.1:8080
  --key       API key that can read everything (default: SITEFLEET_API_KEY)
  --user      user name, instead of a key or in addition to it
  --password  application password of the user (default: SITEFLEET_PASSWORD)
  --live      also calls operations that call sites
  --only      pattern of operation IDs
  --json      prints JSON: {url, calls, findings}
  --junit     writes a JUnit file for CI

The exit code is 0 if the service follows its contract, 1 if it does not, and 2 if the check was not possible.`;

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
