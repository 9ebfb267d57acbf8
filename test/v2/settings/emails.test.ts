import assert from 'node:assert/strict';
import { MODULE_OF_MAIL_TYPE } from '../../../src/domains/mail/mail.ts';
import { readContract } from '../../../src/surfaces/generated-files.ts';
import { editEmails } from '../../support/mail.ts';
import { editSettings } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('email settings', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { tickMs: null } });
  });
  after(() => world.close());

  const read = async () => (await world.request('GET', '/api/v2/settings/emails')).body.data;

  it('when no email setting was changed, then each type has its defaults', async () => {
    const emails = await read();
    // The mail about broken home pages is listed only while home pages are checked.
    const { MailType } = readContract('v2').components.schemas ?? {};
    const types = [...(MailType as { 'x-extensible-enum': string[] })['x-extensible-enum']];
    const advice = 'MailType of openapi/v2/mail/schemas.yaml and src/domains/settings/mail-types-group.ts differ.';
    assert.deepEqual(Object.keys(emails).sort(), types.filter((type) => type !== 'http_check').sort(), advice);
    assert.ok(types.length > 5);
    assert.deepEqual(emails.uptime, {
      type: 'uptime',
      heading: 'Uptime alert',
      subject: '{status}: {site}',
      recipients: '',
      disable: 0,
    });
  });

  it('when a mail type belongs to a module, then the description of MailType lists it', () => {
    const { MailType } = readContract('v2').components.schemas ?? {};
    const { description } = MailType as { description: string };
    const [, list] = /Types of modules are (.*)\./s.exec(description) ?? assert.fail(description);
    const listed = [...String(list).matchAll(/`([^`]+)`/g)].map(([, type]) => type);
    const advice = 'List the types of MODULE_OF_MAIL_TYPE in MailType of openapi/v2/mail/schemas.yaml.';
    assert.deepEqual(listed.sort(), Object.keys(MODULE_OF_MAIL_TYPE).sort(), advice);
  });

  it('when the HTTP check after updates is on, then its mail type is listed', async () => {
    await editSettings(world, 'general', { check_http_response: 1 });
    assert.equal((await read()).http_check.heading, 'Site broken by an update');
    await editSettings(world, 'general', { check_http_response: null });
    assert.equal('http_check' in (await read()), false);
  });

  it('when fields are sent, then only these change, and null restores the default', async () => {
    const { body } = await editEmails(world, 'site_health', { recipients: 'a@example.com', disable: 1 });
    assert.deepEqual(
      [body.data.recipients, body.data.disable, body.data.heading],
      ['a@example.com', 1, 'Site health alert'],
    );
    await editEmails(world, 'site_health', { heading: 'Ill' });
    assert.equal((await read()).site_health.recipients, 'a@example.com');
    const back = await editEmails(world, 'site_health', { heading: null, recipients: null, disable: 0 });
    assert.deepEqual(back.body.data, (await read()).site_health);
    assert.equal(back.body.data.heading, 'Site health alert');
  });

  it('when values are invalid, then the error names the field and nothing changes', async () => {
    const before = await read();
    for (const [body, path] of [
      [{ recipients: 'a@example.com, nobody' }, 'recipients'],
      [{ recipients: 'a@example.com\r\nBcc: b@example.com' }, 'recipients'],
      [{ subject: 'Hello {name}' }, 'subject'],
      [{ disable: 2 }, 'disable'],
      [{ heading: 'x'.repeat(201) }, 'heading'],
      [{ nope: 1 }, 'nope'],
    ] as const) {
      const { body: refused } = await editEmails(world, 'uptime', body, 400);
      assert.match(JSON.stringify(refused.data.errors), new RegExp(`\\b${path}\\b`));
    }
    assert.deepEqual(await read(), before);
  });

  it('when the type is unknown, then the error is 404', async () => {
    for (const type of ['nope', '__proto__', 'constructor', 'deactivated_license_alert']) {
      const { body } = await editEmails(world, type, { disable: 1 }, 404);
      assert.equal(body.code, 'svc_mail_type_not_found');
    }
  });

  it('when an edit has an outdated ETag, then it is rejected', async () => {
    const { headers } = await editEmails(world, 'uptime', { heading: 'One' });
    const seen = { 'if-match': String(headers.etag) };
    const edit = (heading: string, expect: number) =>
      world.request('PATCH', '/api/v2/settings/emails/uptime/edit', { body: { heading }, headers: seen, expect });
    await edit('Two', 200);
    await edit('Three', 412);
    assert.equal((await read()).uptime.heading, 'Two');
  });

  it('when the caller is no administrator, then the edit is rejected', async () => {
    await world.request('GET', '/api/v2/settings/emails', { as: 'viewer' });
    await world.request('PUT', '/api/v2/settings/emails/uptime/edit', {
      body: { disable: 1 },
      as: 'writer',
      expect: 403,
    });
  });
});
