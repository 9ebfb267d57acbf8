import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { PresentedCertificate } from '../../outbound/outbound.ts';
import { Batcher } from '../../shared/batcher.ts';
import { omitEmptyValues, type ChangedValues } from '../../shared/changed-values.ts';
import { isPossibleTime, toIso, type Clock } from '../../shared/clock.ts';
import type { Change, ChangeLog } from '../changes/index.ts';
import type { Alerts } from '../mail/index.ts';
import { SiteRepository } from '../sites/index.ts';
import { CertificateRepository, type ChangedPart, type SeenCertificate } from './certificate-repository.ts';
import type { SslFinding } from './ssl-check.ts';
import { stateInputOf, SslMonitorRepository, type SslMonitor } from './ssl-monitor-repository.ts';
import { daysLeft, sslStateOf, sslWeaknessesOf, type SslState } from './ssl-state.ts';

export interface SslCheckReport {
  siteId: number;
  /** Start of the check, in milliseconds since 1970. */
  at: number;
  finding: SslFinding;
}

/** Delay in which reports are collected for one batch. A scheduled run produces hundreds of reports per second. */
const RECORD_AFTER_MS = 50;
const RECORD_AT = 32;

export interface SslCheckRecorderDeps {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  changeLog: ChangeLog;
  thresholdDays: () => number;
}

/**
 * Records checks. The state of the site, the certificate history, the change log entry and the alert are one
 * transaction: if the process is killed, none of them is stored and the check is repeated.
 */
export class SslCheckRecorder {
  readonly #deps: SslCheckRecorderDeps;
  readonly #batches: Batcher<SslCheckReport, SslMonitor | null>;

  constructor(deps: SslCheckRecorderDeps) {
    this.#deps = deps;
    this.#batches = new Batcher({
      perform: (reports) => inTransaction(deps.knex, ({ trx }) => this.#store(trx, reports)),
      delayMs: RECORD_AFTER_MS,
      maxItems: RECORD_AT,
    });
  }

  record(report: SslCheckReport, { atOnce = false } = {}): Promise<SslMonitor | null> {
    return this.#batches.add(report, { atOnce });
  }

  async #store(trx: Knex.Transaction, reports: readonly SslCheckReport[]): Promise<(SslMonitor | null)[]> {
    const monitors = new SslMonitorRepository(trx);
    const certificates = new CertificateRepository(trx);
    const locked = await monitors.lock([...new Set(reports.map(({ siteId }) => siteId))].sort((a, b) => a - b));
    const before = await certificates.find(previousCertificateIdentities(reports, locked));
    const outcome = new SslCheckBatch(this.#deps, before);
    const results = reports.map((report) => {
      const monitor = locked.get(report.siteId);
      return monitor ? outcome.take(monitor, report) : null;
    });
    await certificates.add(outcome.added);
    await certificates.markSeen(outcome.seenAgain, outcome.now);
    await monitors.storeChecked([...outcome.checked.values()]);
    if (outcome.replacements.length > 0)
      await this.#deps.changeLog.append(trx, ...outcome.replacements.map(certificateChangeOf));
    for (const turn of outcome.stateChanges) await this.#raise(trx, turn);
    return results;
  }

  async #raise(trx: Knex.Transaction, { monitor, report, from }: SslStateChange): Promise<void> {
    const { siteId, state, validTo, error } = monitor;
    const site = await new SiteRepository(trx, this.#deps.clock.now()).findKeyed(siteId);
    if (!site) return;
    const certificate = report.finding.probe?.certificate;
    await this.#deps.alerts.raise(trx, {
      type: 'ssl_monitor_noti_email',
      key: `ssl_monitor:${siteId}:${report.at}:${state}`,
      site: { id: site.id, url: site.url, name: site.name },
      facts: {
        state,
        from,
        issuer: certificate ? issuerNameOf(certificate) : null,
        validTo,
        daysLeft: validTo === null ? null : daysLeft(validTo, report.at),
        problem: error?.message ?? null,
      },
    });
  }
}

const previousCertificateIdentities = (reports: readonly SslCheckReport[], locked: ReadonlyMap<number, SslMonitor>) =>
  reports.flatMap(({ siteId, finding: { probe } }) => {
    const fingerprint = locked.get(siteId)?.fingerprint ?? null;
    return probe && fingerprint !== null && fingerprint !== probe.certificate.fingerprint
      ? [{ siteId, fingerprint }]
      : [];
  });

interface SslStateChange {
  monitor: SslMonitor;
  report: SslCheckReport;
  from: SslState;
}

class SslCheckBatch {
  readonly now: number;
  readonly checked = new Map<number, SslMonitor>();
  readonly added: SeenCertificate[] = [];
  readonly seenAgain: { siteId: number; fingerprint: string }[] = [];
  readonly replacements: CertificateReplacement[] = [];
  readonly stateChanges: SslStateChange[] = [];
  readonly #thresholdDays: number;
  readonly #shownBefore: Map<number, PresentedCertificate>;

  constructor({ clock, thresholdDays }: SslCheckRecorderDeps, shownBefore: Map<number, PresentedCertificate>) {
    this.now = clock.now();
    this.#thresholdDays = thresholdDays();
    this.#shownBefore = shownBefore;
  }

  take(monitor: SslMonitor, report: SslCheckReport): SslMonitor {
    const { siteId, at, finding } = report;
    const { fault, error, probe } = finding;
    const { lastCheckAt } = monitor;
    if (lastCheckAt !== null && at < lastCheckAt && isPossibleTime(lastCheckAt, this.now)) return monitor;
    Object.assign(monitor, { fault, error, lastCheckAt: at });
    if (probe) {
      this.#see(monitor, probe.certificate);
      const { protocol, cipher, chainLength } = probe;
      Object.assign(monitor, { protocol, cipher, chainLength, weaknesses: sslWeaknessesOf(probe) });
    }
    const from = monitor.state;
    const thresholdDays = monitor.thresholdDays ?? this.#thresholdDays;
    monitor.state = sslStateOf(stateInputOf(monitor), { now: this.now, thresholdDays });
    this.checked.set(siteId, monitor);
    const isNews = monitor.state !== from && !(from === 'unknown' && monitor.state === 'valid');
    if (isNews) this.stateChanges.push({ monitor: { ...monitor }, report, from });
    return monitor;
  }

  #see(monitor: SslMonitor, certificate: PresentedCertificate): void {
    const { siteId } = monitor;
    const { fingerprint, validFrom, validTo } = certificate;
    if (monitor.fingerprint === fingerprint) {
      this.seenAgain.push({ siteId, fingerprint });
      return;
    }
    const before = this.#shownBefore.get(siteId);
    const changed = before ? compareCertificates(before, certificate) : [];
    this.added.push({ siteId, certificate, changed, firstSeenAt: this.now, lastSeenAt: this.now });
    if (before && changed.length > 0) this.replacements.push({ siteId, before, after: certificate, changed });
    this.#shownBefore.set(siteId, certificate);
    Object.assign(monitor, { fingerprint, validFrom, validTo });
  }
}

function compareCertificates(before: PresentedCertificate, after: PresentedCertificate): ChangedPart[] {
  const isOtherIssuer = JSON.stringify(before.issuer) !== JSON.stringify(after.issuer);
  return [
    ...(isOtherIssuer ? (['issuer'] as const) : []),
    ...(before.keyFingerprint !== after.keyFingerprint ? (['key'] as const) : []),
  ];
}

interface CertificateReplacement {
  siteId: number;
  before: PresentedCertificate;
  after: PresentedCertificate;
  changed: readonly ChangedPart[];
}

const certificateChangeOf = ({ siteId, before, after, changed }: CertificateReplacement): Change => ({
  siteId,
  type: 'certificate.changed',
  description: changed.includes('issuer')
    ? `The site shows a certificate of another issuer, ${issuerNameOf(after)}` +
      `${changed.includes('key') ? ', with another key' : ''}.`
    : `The site shows a certificate with another key; it is still of ${issuerNameOf(after)}.`,
  actor: 'system',
  thing: {
    name: after.subject.CN,
    key: after.fingerprint,
    before: loggedCertificateValues(before),
    after: loggedCertificateValues(after),
  },
});

const loggedCertificateValues = (certificate: PresentedCertificate): ChangedValues =>
  omitEmptyValues({
    issuer: issuerNameOf(certificate),
    key: certificate.keyFingerprint,
    valid_to: toIso(certificate.validTo),
  });

const issuerNameOf = ({ issuer: { O, CN } }: PresentedCertificate): string => O ?? CN ?? 'an issuer without a name';
