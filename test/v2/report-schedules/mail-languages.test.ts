import assert from 'node:assert/strict';
import { editEmails, readMail } from '../../support/mail.ts';
import { addReportSchedule, createClientWithSites, makeReport } from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('languages of report mails', () => {
  let world: World;
  let client: number;
  before(async () => {
    const clock = new ManualClock('2026-11-22T09:00:00Z');
    world = await startWorld({ sites: 1, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Eckbäckerei', 'ann@example.com', world.siteId(0));
    await editSettings(world, 'pro-reports', { agency_name: 'Nordsee Web' });
  });
  after(() => world.close());

  const setLanguage = (language: string) =>
    world.request('PUT', `/api/v2/clients/${client}/edit`, { body: { language } });
  async function mailOfReport() {
    const { id } = await addReportSchedule(world, { client_id: client });
    const report = await makeReport(world, id as number);
    return readMail(world, report.mails[0].id as number);
  }

  it('when the client reads German, then subject, texts, dates and the language of the page are German', async () => {
    await setLanguage('de');
    const { subject, text, html } = await mailOfReport();
    assert.equal(subject, 'Eckbäckerei: Website-Bericht Oktober 2026');
    assert.match(text, /^Website-Bericht\n/);
    assert.match(text, /Das ist vom 1\. Oktober 2026 bis zum 31\. Oktober 2026 auf Ihrer Website geschehen\./);
    assert.match(text, /Diese E-Mail hat Nordsee Web gesendet\./);
    assert.match(html, /<html lang="de" dir="ltr">/);
    assert.doesNotMatch(text, /report|Here is/);
  });

  it('when the client has no language, then the mail is in that of the settings', async () => {
    await setLanguage('');
    const { subject, html } = await mailOfReport();
    assert.equal(subject, 'Eckbäckerei: website report for October 2026');
    assert.match(html, /<html lang="en" dir="ltr">/);
  });

  it('when somebody has set a subject, then it is used in every language', async () => {
    await setLanguage('de');
    await editEmails(world, 'report', { subject: 'News of {site}' });
    assert.equal((await mailOfReport()).subject, 'News of Eckbäckerei');
  });
});
