import { part, type Part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import { Alerts } from './alerts.ts';
import { MailSender } from './mail-sender.ts';
import { OutboxReadModel } from './outbox-read-model.ts';
import { Outbox } from './outbox.ts';
import { sendMailJob } from './send-mail.job.ts';
import type { MailServices } from './services.ts';

interface Needs {
  changes: ChangesServices;
}

/** What people are told by mail. */
export function mailPart({ knex, clock, queue, smtp, config }: Platform, { changes }: Needs): Part<MailServices> {
  const { mailFrom: from } = config;
  const sendMail = sendMailJob(new MailSender({ knex, clock, server: smtp, from }));
  const outbox = new Outbox({
    knex,
    clock,
    queue,
    sendMail,
    changeLog: changes.changeLog,
    canSend: smtp !== null,
    domain: from.slice(from.lastIndexOf('@') + 1),
    recipientsOf: () => [],
  });
  return part({
    name: 'mail',
    own: { alerts: new Alerts(clock), outbox, mails: new OutboxReadModel(knex) },
    jobs: [sendMail],
    retentions: [{ name: 'mails', prune: () => outbox.prune() }],
  });
}
