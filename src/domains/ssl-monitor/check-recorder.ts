import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { ShownCertificate } from '../../outbound/outbound.ts';
import { Batches } from '../../shared/batches.ts';
import { known, type ChangedValues } from '../../shared/changed-values.ts';
import { toIso, type Clock } from '../../shared/clock.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import type { Alerts } from '../mail/index.ts';
import { SiteRepository } from '../sites/index.ts';
import { CertificateRepository, type ChangedPart, type SeenCertificate } from './certificate-repository.ts';
import type { SslFinding } from './ssl-check.ts';
import { evidenceOf, SslMonitorRepository, type SslMonitor } from './ssl-monitor-repository.ts';
import { daysLeft, stateOf, weaknessesOf, type SslState } from './ssl-state.ts';

/** What a check found, before it is known what that makes of its site. */
export interface CheckReport {
  siteId: number;
  /** When it began. */
  at: number;
  finding: SslFinding;
}

/** A run makes hundreds a second. */
const RECORD_AFTER_MS = 50;
const RECORD_AT = 32;

export interface CheckRecorderParts {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  changeLog: ChangeLog;
  /** Of the fleet. */
  thresholdDays: () => number;
}

/**
 * Records checks. What a check makes of its site, the certificate that it adds to the history, the entry of the log and
 * the alert are one transaction: a process that is killed loses the check, which is made again, and none of the others.
 */
export class CheckRecorder {
  readonly #parts: CheckRecorderParts;
  readonly #batches: Batches<CheckReport, SslMonitor | null>;

  constructor(parts: CheckRecorderParts) {
    this.#parts = parts;
    this.#batches = new Batches({
      perform: (reports) => inTransaction(parts.knex, ({ trx }) => this.#store(trx, reports)),
      afterMs: RECORD_AFTER_MS,
      most: RECORD_AT,
    });
  }

  /** The monitor behind it, once it is committed; null when the site is gone. `atOnce` waits for no others. */
  record(report: CheckReport, { atOnce = false } = {}): Promise<SslMonitor | null> {
    return this.#batches.add(report, { atOnce });
  }

  async #store(trx: Knex.Transaction, reports: readonly CheckReport[]): Promise<(SslMonitor | null)[]> {
    const monitors = new SslMonitorRepository(trx);
    const certificates = new CertificateRepository(trx);
    const locked = await monitors.lock([...new Set(reports.map(({ siteId }) => siteId))].sort((a, b) => a - b));
    const before = await certificates.find(othersAmong(reports, locked));
    const outcome = new Outcome(this.#parts, before);
    const results = reports.map((report) => {
      const monitor = locked.get(report.siteId);
      return monitor ? outcome.take(monitor, report) : null;
    });
    await certificates.add(outcome.added);
    await certificates.seenAgain(outcome.seenAgain, outcome.now);
    await monitors.storeChecked([...outcome.checked.values()]);
    if (outcome.replacements.length > 0) await this.#parts.changeLog.append(trx, ...outcome.replacements.map(changeOf));
    for (const turn of outcome.turns) await this.#raise(trx, turn);
    return results;
  }

  async #raise(trx: Knex.Transaction, { monitor, report, from }: Turn): Promise<void> {
    const { siteId, state, validTo, error } = monitor;
    const site = await new SiteRepository(trx, this.#parts.clock.now()).findKeyed(siteId);
    if (!site) return;
    const certificate = report.finding.probe?.certificate;
    await this.#parts.alerts.raise(trx, {
      type: 'ssl_monitor_noti_email',
      key: `ssl_monitor:${siteId}:${report.at}:${state}`,
      site: { id: site.id, url: site.url, name: site.name },
      facts: {
        state,
        from,
        issuer: certificate ? issuerOf(certificate) : null,
        validTo,
        daysLeft: validTo === null ? null : daysLeft(validTo, report.at),
        problem: error?.message ?? null,
      },
    });
  }
}

/** The certificates of before, of those sites that show another one now. */
const othersAmong = (reports: readonly CheckReport[], locked: ReadonlyMap<number, SslMonitor>) =>
  reports.flatMap(({ siteId, finding: { probe } }) => {
    const fingerprint = locked.get(siteId)?.fingerprint ?? null;
    return probe && fingerprint !== null && fingerprint !== probe.certificate.fingerprint
      ? [{ siteId, fingerprint }]
      : [];
  });

/** A site whose state has changed. */
interface Turn {
  monitor: SslMonitor;
  report: CheckReport;
  from: SslState;
}

/** What a batch of reports makes of its sites. */
class Outcome {
  readonly now: number;
  readonly checked = new Map<number, SslMonitor>();
  readonly added: SeenCertificate[] = [];
  readonly seenAgain: { siteId: number; fingerprint: string }[] = [];
  readonly replacements: Replacement[] = [];
  readonly turns: Turn[] = [];
  readonly #thresholdDays: number;
  readonly #shownBefore: Map<number, ShownCertificate>;

  constructor({ clock, thresholdDays }: CheckRecorderParts, shownBefore: Map<number, ShownCertificate>) {
    this.now = clock.now();
    this.#thresholdDays = thresholdDays();
    this.#shownBefore = shownBefore;
  }

  /** Changes the monitor by one check. One that began before the last one that was recorded says nothing new. */
  take(monitor: SslMonitor, report: CheckReport): SslMonitor {
    const { siteId, at, finding } = report;
    const { fault, error, probe } = finding;
    if (monitor.lastCheckAt !== null && at < monitor.lastCheckAt) return monitor;
    Object.assign(monitor, { fault, error, lastCheckAt: at });
    if (probe) {
      this.#see(monitor, probe.certificate);
      const { protocol, cipher, chainLength } = probe;
      Object.assign(monitor, { protocol, cipher, chainLength, weaknesses: weaknessesOf(probe) });
    }
    const from = monitor.state;
    const thresholdDays = monitor.thresholdDays ?? this.#thresholdDays;
    monitor.state = stateOf(evidenceOf(monitor), { now: this.now, thresholdDays });
    this.checked.set(siteId, monitor);
    // That a site is in order when it is looked at for the first time is no news.
    const isNews = monitor.state !== from && !(from === 'unknown' && monitor.state === 'valid');
    if (isNews) this.turns.push({ monitor: { ...monitor }, report, from });
    return monitor;
  }

  #see(monitor: SslMonitor, certificate: ShownCertificate): void {
    const { siteId } = monitor;
    const { fingerprint, validFrom, validTo } = certificate;
    if (monitor.fingerprint === fingerprint) {
      this.seenAgain.push({ siteId, fingerprint });
      return;
    }
    const before = this.#shownBefore.get(siteId);
    const changed = before ? changesBetween(before, certificate) : [];
    this.added.push({ siteId, certificate, changed, firstSeenAt: this.now, lastSeenAt: this.now });
    if (before && changed.length > 0) this.replacements.push({ siteId, before, after: certificate, changed });
    this.#shownBefore.set(siteId, certificate);
    Object.assign(monitor, { fingerprint, validFrom, validTo });
  }
}

function changesBetween(before: ShownCertificate, after: ShownCertificate): ChangedPart[] {
  const isOtherIssuer = JSON.stringify(before.issuer) !== JSON.stringify(after.issuer);
  return [
    ...(isOtherIssuer ? (['issuer'] as const) : []),
    ...(before.keyFingerprint !== after.keyFingerprint ? (['key'] as const) : []),
  ];
}

/** A certificate whose issuer or key is other than that of the one before it. */
interface Replacement {
  siteId: number;
  before: ShownCertificate;
  after: ShownCertificate;
  changed: readonly ChangedPart[];
}

const changeOf = ({ siteId, before, after, changed }: Replacement): Change => ({
  siteId,
  type: 'certificate.changed',
  description: changed.includes('issuer')
    ? `The site shows a certificate of another issuer, ${issuerOf(after)}` +
      `${changed.includes('key') ? ', with another key' : ''}.`
    : `The site shows a certificate with another key; it is still of ${issuerOf(after)}.`,
  actor: 'system',
  thing: { name: after.subject.CN, key: after.fingerprint, before: valuesOf(before), after: valuesOf(after) },
});

const valuesOf = (certificate: ShownCertificate): ChangedValues =>
  known({
    issuer: issuerOf(certificate),
    key: certificate.keyFingerprint,
    valid_to: toIso(certificate.validTo),
  });

const issuerOf = ({ issuer: { O, CN } }: ShownCertificate): string => O ?? CN ?? 'an issuer without a name';
