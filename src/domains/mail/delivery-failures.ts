import type { Metric } from '../../platform/part.ts';
import type { Logger } from '../../shared/logger.ts';
import type { FaultCode, MailFault, MailState, MailType } from './mail.ts';

export interface FailedDelivery {
  id: number;
  type: MailType;
  /** State of the mail after the failure. A mail that is `queued` will be sent again. */
  state: MailState;
  fault: MailFault;
  attempts: number;
  refusedRecipients?: number;
}

/** Faults of an attempt to send a mail. The other faults prevent the attempt. */
const ATTEMPT_FAULTS: ReadonlySet<FaultCode> = new Set(['refused', 'not_delivered', 'outcome_unknown']);

const ADDRESS = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;

/**
 * Logs and counts mails that were not delivered. The log has no addresses, subjects or texts. Replies of mail servers
 * often repeat the address of the recipient, so addresses in them are replaced.
 */
export class DeliveryFailures {
  readonly #logger: Logger;
  #attempts = 0;
  #mails = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  readonly metrics: readonly Metric[] = [
    {
      name: 'sitefleet_mail_attempts_failed_total',
      help: 'Number of attempts to send a mail that failed, for at least one recipient, since this process started.',
      kind: 'counter',
      read: () => this.#attempts,
    },
    {
      name: 'sitefleet_mails_undelivered_total',
      help: 'Number of mails that were given up or kept without being sent since this process started.',
      kind: 'counter',
      read: () => this.#mails,
    },
  ];

  /** Call it after the commit, because a transaction can be repeated. */
  report({ id, type, state, fault, attempts, refusedRecipients = 0 }: FailedDelivery): void {
    if (ATTEMPT_FAULTS.has(fault.code)) this.#attempts++;
    if (state === 'failed' || state === 'kept') this.#mails++;
    this.#logger.warn(
      {
        mail_id: id,
        mail_type: type,
        state,
        error: fault.code,
        reason: fault.message.replace(ADDRESS, '[address]'),
        smtp_status: fault.smtpStatus,
        attempts,
        refused_recipients: refusedRecipients,
      },
      state === 'queued' ? 'a mail was not delivered and will be sent again' : 'a mail was not delivered',
    );
  }
}
