import type { Knex } from 'knex';
import type { TransactionScope } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Formats } from '../settings/index.ts';
import type { AlertFacts, AlertType } from './alert-types.ts';
import type { Alert } from './alert.ts';
import { AlertRepository, type WaitingAlert } from './alert-repository.ts';
import { buildAlertMessage } from './alert-messages.ts';
import type { EmailSettings } from './email-settings.ts';
import type { MailRenderer } from './mail-renderer.ts';
import type { RenderedMail } from './mail.ts';
import { RETENTION_MS, type Outbox } from './outbox.ts';

/** Maximum number of separate mails per type in one run. If there are more, one mail contains all items. */
const STORM = 5;
/** Maximum number of alerts per run. The next run starts within a minute. */
const AT_ONCE = 2000;
const DELETED_AT_ONCE = 500;

export interface AlertMailsDeps {
  clock: Clock;
  outbox: Outbox;
  emails: EmailSettings;
  renderer: MailRenderer;
  formats: Formats;
  publicUrl: string;
}

interface PlannedMail {
  alerts: readonly WaitingAlert[];
  mail: RenderedMail;
}

export class AlertMails {
  readonly #deps: AlertMailsDeps;

  constructor(deps: AlertMailsDeps) {
    this.#deps = deps;
  }

  /**
   * Claims alerts, writes their mails and queues the sending in one transaction. So each alert is mailed once, even
   * with several processes or after a crash.
   */
  async createMails(scope: TransactionScope, requestedBy: string): Promise<void> {
    const { clock, outbox, emails } = this.#deps;
    const alerts = new AlertRepository(scope.trx);
    await outbox.settle(scope);
    const waiting = await alerts.claimWaiting(AT_ONCE);
    if (waiting.length === 0) return;
    const isWanted = ({ type }: Alert): boolean => !emails.current(type).disabled;
    const planned = [...groupAlertsByType(waiting.filter(isWanted))].flatMap(([type, ofType]) =>
      this.#plan(type, ofType),
    );
    const { mailIds } = await outbox.add(
      scope,
      planned.map(({ mail }) => mail),
      requestedBy,
    );
    for (const [index, { alerts: mailedAlerts }] of planned.entries())
      await alerts.markHandled(idsOfAlerts(mailedAlerts), mailIds[index] ?? null, clock.now());
    await alerts.markHandled(idsOfAlerts(waiting.filter((alert) => !isWanted(alert))), null, clock.now());
  }

  prune(knex: Knex): Promise<number> {
    return new AlertRepository(knex).deleteHandled(this.#deps.clock.now() - RETENTION_MS, DELETED_AT_ONCE);
  }

  #plan(type: AlertType, ofType: readonly WaitingAlert[]): PlannedMail[] {
    const things = groupAlerts(type, ofType);
    return things.length > STORM ? [this.#mail(type, things)] : things.map((thing) => this.#mail(type, [thing]));
  }

  #mail(type: AlertType, things: readonly WaitingAlertGroup[]): PlannedMail {
    const { emails, renderer: writer } = this.#deps;
    const { heading, subject, recipients } = emails.current(type);
    const { message: letter, tokens } = buildAlertMessage(type, heading, things, this.#deps);
    return { alerts: things.flat(), mail: { type, recipients, ...writer.render(letter, subject, tokens) } };
  }
}

type WaitingAlertGroup = readonly [WaitingAlert, ...WaitingAlert[]];

function groupAlerts(type: AlertType, alerts: readonly WaitingAlert[]): WaitingAlertGroup[] {
  const things = new Map<string, [WaitingAlert, ...WaitingAlert[]]>();
  for (const alert of alerts) {
    const key = type === 'uptime' ? (alert.facts as AlertFacts['uptime']).incidentId : alert.key;
    const thing = things.get(key);
    if (thing) thing.push(alert);
    else things.set(key, [alert]);
  }
  return [...things.values()];
}

function groupAlertsByType(alerts: readonly WaitingAlert[]): Map<AlertType, WaitingAlert[]> {
  const types = new Map<AlertType, WaitingAlert[]>();
  for (const alert of alerts) types.set(alert.type, [...(types.get(alert.type) ?? []), alert]);
  return types;
}

const idsOfAlerts = (alerts: readonly WaitingAlert[]): number[] => alerts.map(({ id }) => id);
