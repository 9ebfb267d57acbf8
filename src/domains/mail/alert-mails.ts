import type { Knex } from 'knex';
import { inTransaction, type TransactionScope } from '../../db/transaction.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import type { Formats } from '../settings/index.ts';
import type { AlertFacts, AlertType } from './alert-types.ts';
import type { Alert } from './alert.ts';
import { AlertRepository, type WaitingAlert } from './alert-repository.ts';
import { buildAlertMessage } from './alert-messages.ts';
import type { EmailSettings } from './email-settings.ts';
import type { MailRenderer } from './mail-renderer.ts';
import type { RenderedMail } from './mail.ts';
import { RETENTION_MS, type Outbox } from './outbox.ts';
import { unlimitedRequester, type Requester } from '../../shared/requester.ts';

/** The alerts of a type become one mail when no further alert of the type was raised for this time. */
const QUIET_MS = 5 * SECOND;
/** Maximum time that alerts of a type wait, counted from the oldest one. */
const LONGEST_WAIT_MS = 20 * SECOND;
/** Interval at which every process looks for alerts. A single alert becomes a mail within `QUIET_MS` and this time. */
export const ALERT_INTERVAL_MS = 2 * SECOND;
/** Maximum number of alerts per run. Further alerts wait for the next run, which follows after `ALERT_INTERVAL_MS`. */
const AT_ONCE = 2000;
const DELETED_AT_ONCE = 500;

export interface AlertMailsDeps {
  clock: Clock;
  outbox: Outbox;
  emails: EmailSettings;
  renderer: MailRenderer;
  formats: Formats;
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
   * with several processes or after a crash. If `atOnce` is true, alerts become mails without waiting for further ones.
   */
  async createMails(scope: TransactionScope, requestedBy: Requester, { atOnce }: { atOnce: boolean }): Promise<void> {
    const { clock, outbox, emails } = this.#deps;
    const alerts = new AlertRepository(scope.trx);
    const claimed = await alerts.claimWaiting(AT_ONCE);
    const waiting = atOnce ? claimed : settledAlerts(claimed, clock.now());
    if (waiting.length === 0) return;
    const isWanted = ({ type }: Alert): boolean => !emails.current(type).disabled;
    const planned = [...groupAlertsByType(waiting.filter(isWanted))].map(([type, ofType]) =>
      this.#mail(type, groupAlerts(type, ofType)),
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

  async createMailsIfAny(knex: Knex): Promise<void> {
    if (!(await new AlertRepository(knex).hasWaiting())) return;
    await inTransaction(knex, (scope) => this.createMails(scope, unlimitedRequester('alerts'), { atOnce: false }));
  }

  prune(knex: Knex): Promise<number> {
    return new AlertRepository(knex).deleteHandled(this.#deps.clock.now() - RETENTION_MS, DELETED_AT_ONCE);
  }

  #mail(type: AlertType, things: readonly WaitingAlertGroup[]): PlannedMail {
    const { emails, renderer: writer, formats } = this.#deps;
    const { heading, subject, recipients } = emails.current(type);
    const { message: letter, tokens } = buildAlertMessage(type, heading, things, formats);
    return {
      alerts: things.flat(),
      mail: { type, recipients, siteIds: alertedSiteIds(things.flat()), ...writer.render(letter, subject, tokens) },
    };
  }
}

/**
 * Returns the alerts of each type whose newest alert is older than `QUIET_MS` or whose oldest one has waited for
 * `LONGEST_WAIT_MS`. An alert is not delayed if the clock of the process that raised it is ahead.
 */
function settledAlerts(alerts: readonly WaitingAlert[], now: number): WaitingAlert[] {
  return [...groupAlertsByType(alerts).values()].flatMap((ofType) => {
    const ages = ofType.map(({ raisedAt }) => now - raisedAt);
    const [newest, oldest] = [Math.min(...ages), Math.max(...ages)];
    return newest >= QUIET_MS || newest < -QUIET_MS || oldest >= LONGEST_WAIT_MS ? ofType : [];
  });
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

function alertedSiteIds(alerts: readonly Alert[]): number[] {
  const ids = alerts.flatMap(({ site }) => site?.id ?? []);
  return ids.length === alerts.length ? [...new Set(ids)] : [];
}

const idsOfAlerts = (alerts: readonly WaitingAlert[]): number[] => alerts.map(({ id }) => id);
