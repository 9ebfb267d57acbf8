import assert from 'node:assert/strict';
import { PNG } from 'pngjs';
import {
  FakeMailServer,
  readMail,
  sendAlertMails,
  raiseAlerts,
  downAlert,
  waitForMailState,
} from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, makeReport } from '../../support/report-schedules.ts';
import { addReportTemplate } from '../../support/report-templates.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Returns an image of one gray. */
const picture = (width: number, height: number, gray: number): Buffer => {
  const image = new PNG({ width, height });
  image.data.fill(gray);
  return PNG.sync.write(image);
};
const dataUrl = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
/** Nine times as wide as high, so that the width limits its size. */
const LOGO = picture(432, 48, 90);
const OTHER_LOGO = picture(20, 20, 200);

describe('looks of report mails', () => {
  let server: FakeMailServer;
  let world: World;
  let client: number;
  before(async () => {
    server = await new FakeMailServer().start();
    const clock = new ManualClock('2026-11-22T09:00:00Z');
    world = await startWorld({ sites: 1, env: { SMTP_URL: server.url }, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
    await editSettings(world, 'pro-reports', {
      ...{ agency_name: 'North Sea Web', agency_color: '#123456', agency_logo: dataUrl(OTHER_LOGO) },
    });
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  const useTemplate = (key: string) =>
    world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { report_template: key } });

  /** Returns a report mail as it was stored, and as it arrived. */
  async function sendReport() {
    const { id } = await addReportSchedule(world, { client_id: client });
    const { mails } = await makeReport(world, id as number);
    const stored = await waitForMailState(world, mails[0].id as number, 'sent');
    const arrived = server.received.at(-1)?.mail;
    assert.ok(arrived?.html !== undefined);
    return { stored, html: arrived.html, text: arrived.text ?? '', attachments: arrived.attachments };
  }

  it('when the client has a template, then its mail has the greeting, the logo and the colors of it', async () => {
    const key = await addReportTemplate(world, {
      ...{ greeting: 'Dear [client.name],\nnice to see you.', intro: 'Only in the report.' },
      ...{ color: '#0b5d4e', accent_color: '#7a1f5c', logo: dataUrl(LOGO) },
    });
    await useTemplate(key);
    const { stored, html, text, attachments } = await sendReport();
    assert.match(text, /^Website report\n\nDear Corner Bakery,\n\nnice to see you\.\n\nHere is what happened/);
    for (const words of ['Dear Corner Bakery,', 'nice to see you.']) assert.ok(html.includes(`>${words}</p>`), words);
    assert.doesNotMatch(html + text, /Only in the report/);
    assert.match(html, /bgcolor="#0b5d4e"/);
    assert.match(
      html,
      /<span class="brand" style="[^"]*background-color:#e9edf1;color:#7a1f5c">Monthly report<\/span>/,
    );
    assert.ok(!html.includes('#1a5fb4'), 'the color of links of the product');
    const [, cid = ''] = /<img src="cid:([^"]+)" width="216" height="24" alt="North Sea Web"/.exec(html) ?? [];
    const logo = attachments.find(({ contentId }) => contentId === `<${cid}>`);
    assert.deepEqual(
      [logo?.mimeType, logo?.disposition, logo?.related, Buffer.from(logo?.content as ArrayBuffer).equals(LOGO)],
      ['image/png', 'inline', true, true],
    );
    assert.doesNotMatch(html, /src="(?!cid:)|url\(/);
    assert.ok(stored.html.includes(`<img src="${dataUrl(LOGO)}"`), 'the outbox shows the logo');
    assert.deepEqual(stored.attachments.length, attachments.length - 1);
  });

  it('when the template has no logo of its own, then the mail has that of the settings, at most at its own size', async () => {
    await useTemplate(await addReportTemplate(world, { name: 'Plain', color: null, logo: null, greeting: '' }));
    const { html, text, attachments } = await sendReport();
    assert.match(html, /bgcolor="#123456"/);
    assert.match(html, /<img src="cid:[^"]+" width="20" height="20"/);
    assert.ok(attachments.some(({ content }) => Buffer.from(content as ArrayBuffer).equals(OTHER_LOGO)));
    assert.match(text, /^Website report\n\nHere is what happened/);
  });

  it('when the template wants no logo, then the mail has the name of the agency', async () => {
    await useTemplate(await addReportTemplate(world, { name: 'Without a logo', logo: '', color: '#ffd400' }));
    const { html, attachments } = await sendReport();
    assert.doesNotMatch(html, /<img/);
    assert.equal(attachments.filter(({ contentId }) => contentId !== undefined).length, 0);
    assert.match(html, /color:#17202a;border-radius:9px[^>]*>\s*North Sea Web\s*<\/td>/, 'dark letters on yellow');
  });

  it('when the agency has no name, then the text of its mail ends without a footer', async () => {
    await useTemplate('care-plan');
    await editSettings(world, 'pro-reports', { agency_name: '' });
    const { text } = await sendReport();
    await editSettings(world, 'pro-reports', { agency_name: 'North Sea Web' });
    assert.match(text, /The full report is attached[^\n]*\s*$/);
  });

  it('when the template changes, then a further mail with a report looks like the report that was made', async () => {
    const key = await addReportTemplate(world, { name: 'Changing', greeting: 'Hello.', color: '#0b5d4e' });
    await useTemplate(key);
    const { id } = await addReportSchedule(world, { client_id: client });
    const report = await makeReport(world, id as number);
    const body = { greeting: 'Goodbye.', color: '#aa0000' };
    await world.request('PUT', `/api/v2/report-templates/${key}/edit`, { body });
    const { data } = (await world.request('POST', `/api/v2/reports/${report.id}/send`)).body;
    const { html } = await readMail(world, data.mails[0].id as number);
    assert.match(html, />Hello\.</);
    assert.match(html, /bgcolor="#0b5d4e"/);
  });

  it('when a report of an earlier release is sent, then its mail looks like the settings', async () => {
    const { id } = await addReportSchedule(world, { client_id: client });
    const report = await makeReport(world, id as number);
    await world.container.database.knex('kept_reports').where({ id: report.id }).update({ mail_look: null });
    const { data } = (await world.request('POST', `/api/v2/reports/${report.id}/send`)).body;
    assert.match((await readMail(world, data.mails[0].id as number)).html, /bgcolor="#123456"/);
  });

  it('when a mail goes to staff, then it has neither greeting, logo nor colors of the agency', async () => {
    await raiseAlerts(world, downAlert('i1'));
    const [alert] = await sendAlertMails(world);
    assert.equal(alert.type, 'uptime');
    assert.doesNotMatch(alert.html, /<img|bgcolor|#123456|North Sea Web/);
  });
});
