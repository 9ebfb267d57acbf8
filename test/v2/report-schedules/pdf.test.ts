import assert from 'node:assert/strict';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { buildEntriesOnce } from '../../support/built-entry.ts';
import { waitForMailState, FakeMailServer } from '../../support/mail.ts';
import { addReportSchedule, makeReport, readFile } from '../../support/report-schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('scheduled reports as PDF', function () {
  this.timeout(180_000);
  let server: FakeMailServer;
  let world: World;
  const start = async (env: Record<string, string>): Promise<void> => {
    const overrides = { tickMs: null, browserProcesses: await buildEntriesOnce() };
    world = await startWorld({ sites: 1, env: { SMTP_URL: server.url, ...env }, overrides });
  };
  beforeEach(async () => {
    server = await new FakeMailServer().start();
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  it('when there is a browser, then the mail has the PDF, and the HTML page is stored too', async function () {
    const chrome = await chromiumOrSkip(this);
    await start({ CHROME_PATH: chrome });
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0), format: 'pdf' });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual([report.status, report.pdf_error], ['made', null]);
    await waitForMailState(world, report.mails[0].id, 'sent');
    const [file] = server.received[0]?.mail.attachments ?? [];
    const sent = Buffer.from(file?.content as ArrayBuffer);
    assert.deepEqual(
      [file?.mimeType, sent.length, sent.subarray(0, 5).toString()],
      ['application/pdf', report.pdf_size, '%PDF-'],
    );
    const kept = await readFile(world, `/reports/${report.id}/file`);
    assert.ok(sent.equals(kept.body as Buffer));
    const page = await readFile(world, `/reports/${report.id}/file?format=html`);
    assert.match(String(page.body), /^<!doctype html>/);
    const preview = await readFile(world, `/report-schedules/${schedule.id}/preview?format=pdf`);
    assert.deepEqual([preview.status, preview.type], [200, 'application/pdf']);
  });

  it('when there is no browser, then the mail has the HTML page, and the report has the reason', async () => {
    await start({ CHROME_PATH: '/nowhere/chromium' });
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0), format: 'pdf' });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual(
      [report.status, report.pdf_size, report.pdf_error.code],
      ['made', null, 'svc_module_not_available'],
    );
    await waitForMailState(world, report.mails[0].id, 'sent');
    const [file] = server.received[0]?.mail.attachments ?? [];
    assert.deepEqual([file?.mimeType, file?.filename?.split('.').at(-1)], ['text/html', 'html']);
    const preview = `/api/v2/report-schedules/${schedule.id}/preview`;
    const { body } = await world.request('GET', `${preview}?format=pdf`, { expect: 404 });
    assert.equal(body.code, 'svc_module_not_available');
    const shown = await readFile(world, `/report-schedules/${schedule.id}/preview`);
    assert.match(String(shown.body), /^<!doctype html>/);
  });

  it('when the caller of a preview has gone, then the report is not read', async () => {
    await start({ CHROME_PATH: process.execPath });
    const { id } = await addReportSchedule(world, { site_id: world.siteId(0), segments: ['backups'] });
    const { schedules } = world.container.services.reportSchedules;
    const reason = new Error('The caller has gone.');
    await assert.rejects(
      schedules.preview(ALL_SITES, id, { text: null }, 'pdf', () => AbortSignal.abort(reason)),
      reason,
    );
    assert.equal(world.site(0).countOf('client_report'), 0);
  });
});
