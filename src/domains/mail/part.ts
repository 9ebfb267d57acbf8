import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { repeatUntilAborted } from '../../shared/repeat-until-aborted.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { ALERT_INTERVAL_MS, AlertMails } from './alert-mails.ts';
import { Alerts } from './alerts.ts';
import { DeliveryFailures } from './delivery-failures.ts';
import { EmailSettings } from './email-settings.ts';
import { MailRenderer } from './mail-renderer.ts';
import { Mailer } from './mailer.ts';
import type { ScopeOfOwner } from './ports.ts';
import { MailSender } from './mail-sender.ts';
import { OutboxReadModel } from './outbox-read-model.ts';
import { Outbox } from './outbox.ts';
import { senderHeadersOf } from './sender-headers.ts';
import { sendMailJob } from './send-mail.job.ts';

interface MailPartDeps {
  changes: ChangesServices;
  modules: ModulesServices;
  settings: SettingsServices;
  scopeOfOwner: ScopeOfOwner;
}

export function mailPart(
  { knex, clock, queue, smtp, config, logger, tickMs, sealing }: Platform,
  { changes, modules: { modules }, settings: { settings, formats }, scopeOfOwner }: MailPartDeps,
) {
  const { mailFrom: from, publicUrl } = config;
  const emails = new EmailSettings(settings, (slug) => modules.isActive(slug));
  const failures = new DeliveryFailures(logger);
  const sendMail = sendMailJob(new MailSender({ knex, clock, server: smtp, from, failures, sealing, scopeOfOwner }));
  const outbox = new Outbox({
    knex,
    clock,
    queue,
    sendMail,
    failures,
    sealing,
    changeLog: changes.changeLog,
    canSend: smtp !== null,
    domain: from.address.slice(from.address.lastIndexOf('@') + 1),
    senderHeaders: () => senderHeadersOf(settings.current('general')),
    recipientsOf: (type) => emails.current(type).recipients,
  });
  const writer = new MailRenderer(publicUrl);
  const alertMails = new AlertMails({
    clock,
    outbox,
    emails,
    renderer: writer,
    formats,
  });
  const stopping = new AbortController();
  let looking: Promise<void> = Promise.resolve();
  return definePart({
    name: 'mail',
    own: {
      alerts: new Alerts(clock),
      outbox,
      emails,
      mailer: new Mailer({ outbox, emails, writer }),
      mails: new OutboxReadModel(knex),
    },
    jobs: [sendMail],
    schedules: [
      {
        name: 'alert-mails',
        description:
          'Sends mails about alerts. Every process also looks for alerts every two seconds; alerts of one moment are one mail.',
        timing: () => ({ pattern: '* * * * *', timeZone: 'UTC' }),
        begin: async ({ scope, requestedBy, onRequest }) => {
          await outbox.settle(scope);
          await alertMails.createMails(scope, requestedBy, { atOnce: onRequest });
          /*
           * The job that sends the mails is not part of this run, because a mail server that is down for hours must not
           * block further runs.
           */
          return null;
        },
      },
    ],
    metrics: failures.metrics,
    start: async () => {
      if (tickMs === null) return;
      const loop = { everyMs: ALERT_INTERVAL_MS, signal: stopping.signal, logger, failure: 'alerts could not be read' };
      looking = repeatUntilAborted(loop, () => alertMails.createMailsIfAny(knex));
    },
    drain: async () => {
      stopping.abort();
      await looking;
    },
    retentions: [
      { name: 'mails', prune: () => outbox.prune() },
      { name: 'alerts', prune: () => alertMails.prune(knex) },
    ],
  });
}

export type MailServices = OwnOf<typeof mailPart>;
