import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromiumOrSkip } from '../support/browsers.ts';
import { buildEntriesOnce } from '../support/built-entry.ts';
import { createClient } from '../support/clients.ts';
import { addReportSchedule, makeReport } from '../support/report-schedules.ts';
import { addReportTemplate } from '../support/report-templates.ts';
import { createApiKey } from '../support/sdk.ts';
import { addTask } from '../support/time-tracker.ts';
import { startWorld, type World } from '../support/world.ts';
import { InstalledCli } from './support.ts';

// Runs on SQLite only: the test is about the client.

const NOVEMBER = 'start_date=2026-11-01 end_date=2026-11-30';

describe('client CLI with files', () => {
  let world: World;
  let command: InstalledCli;

  before(async () => {
    [world, command] = await Promise.all([startWorld({ sites: 1 }), InstalledCli.build()]);
    command.env = { SITEFLEET_URL: world.url, SITEFLEET_KEY: await createApiKey(world) };
  });
  after(async () => {
    command.remove();
    await world.close();
  });

  /** Calls an operation with `--output`. Returns the file. */
  async function download(line: string): Promise<Buffer> {
    const file = join(command.home, 'download');
    const { code, out, err } = await command.run(`${line} --output ${file}`);
    assert.deepEqual([code, err], [0, ''], line);
    const bytes = await readFile(file);
    assert.ok(out.includes(`${bytes.length} bytes`), out);
    return bytes;
  }

  it('when the response is a file, then --output saves it, and without --output it is printed', async () => {
    const client = await createClient(world, 'Bakery');
    await addTask(world, { title: 'Write', client_id: client });
    const template = await addReportTemplate(world);
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0), hold_first_report: true });
    const report = await makeReport(world, schedule.id);
    const site = `id_or_domain=${world.siteId(0)} ${NOVEMBER}`;
    for (const [line, start] of [
      [`pro_reports_get ${site} format=html`, /^<!doctype html>/i],
      [`pro_reports_plugins ${site} format=csv`, /^\uFEFF?"?\w+/],
      ['time_tracker_tasks_export', /Write/],
      [`report_templates_preview template_key=${template} site_id=${world.siteId(0)} ${NOVEMBER}`, /^<!doctype html>/i],
      [`report_schedules_preview schedule_id=${schedule.id}`, /^<!doctype html>/i],
      [`reports_file report_id=${report.id}`, /^<!doctype html>/i],
    ] as const) {
      const saved = (await download(`call ${line}`)).toString();
      assert.match(saved, start, line);
      const printed = await command.run(`call ${line}`);
      assert.deepEqual([printed.code, printed.out.length > 20], [0, true], line);
    }
  });

  it('when a report is requested as PDF, then the saved file is a PDF', async function () {
    this.timeout(120_000);
    const printing = await startWorld({
      sites: 1,
      env: { CHROME_PATH: await chromiumOrSkip(this) },
      overrides: { browserProcesses: await buildEntriesOnce() },
    });
    try {
      const file = join(command.home, 'report.pdf');
      const { code, err } = await command.run(
        `call pro_reports_get id_or_domain=${printing.siteId(0)} ${NOVEMBER} format=pdf --output ${file}`,
        { env: { SITEFLEET_URL: printing.url, SITEFLEET_KEY: await createApiKey(printing) } },
      );
      assert.equal(code, 0, err);
      assert.match(await readFile(file, 'latin1'), /^%PDF-[^]*%%EOF\s*$/);
    } finally {
      await printing.close();
    }
  });

  it('when an operation with files returns JSON, then the JSON is printed, or saved by --output', async () => {
    const line = `call pro_reports_get id_or_domain=${world.siteId(0)} ${NOVEMBER} segments=website`;
    const shown = await command.json<{ success: number }>(line);
    assert.equal(shown.success, 1);
    const file = join(command.home, 'report.json');
    assert.equal((await command.run(`${line} --output ${file}`)).code, 0);
    const { data } = JSON.parse(await readFile(file, 'utf8')) as { data: { segments: object } };
    assert.deepEqual(Object.keys(data.segments), ['website']);
  });

  it('when the service returns an error, then its code is printed and no file is left', async () => {
    const before = await readdir(command.home);
    const file = join(command.home, 'missing.pdf');
    const { code, err } = await command.run(
      `call pro_reports_get id_or_domain=4711 ${NOVEMBER} format=html --output ${file}`,
    );
    assert.deepEqual([code, /svc_site_not_found/.test(err)], [3, true], err);
    assert.deepEqual(await readdir(command.home), before);
  });

  it('when the path cannot be written, then the exit code is 2 and nothing is called', async () => {
    const env = { SITEFLEET_URL: 'http://127.0.0.1:1' };
    const { code, err } = await command.run('call time_tracker_tasks_export --output /nowhere/tasks.csv', { env });
    assert.equal(code, 2, err);
    assert.match(err, /\/nowhere\/tasks\.csv cannot be written/);
  });

  it('when another server responds or the response breaks off, then the exit code is 4 and no file is left', async () => {
    const server = createServer((request, response) => {
      if (request.url?.includes('status=open'))
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in');
      else {
        response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1000' }).write('half');
        setTimeout(() => response.destroy(), 50);
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const before = await readdir(command.home);
      const file = join(command.home, 'tasks.csv');
      const env = { SITEFLEET_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
      for (const [fields, message] of [
        [' status=open', /a body that does not follow its contract/],
        ['', /interrupted/],
      ] as const) {
        const { code, err } = await command.run(`call time_tracker_tasks_export${fields} --output ${file}`, { env });
        assert.equal(code, 4, err);
        assert.match(err, message);
        assert.deepEqual(await readdir(command.home), before);
      }
    } finally {
      server.close();
    }
  });
});
