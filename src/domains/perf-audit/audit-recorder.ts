import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { JobReadModel } from '../jobs/index.ts';
import type { Alerts } from '../mail/index.ts';
import { SiteRepository } from '../sites/index.ts';
import type { AuditFault, DeviceAudits, Engine, DeviceAuditResult, Strategy, StrategyChoice } from './audit.ts';
import type { AuditJobResult } from './audit.job.ts';
import { AuditRepository, type Audit } from './audit-repository.ts';
import {
  isScoreBelow,
  isUnderWay,
  lowestPerformanceScore,
  pickDeviceAudits,
  withPreviousScores,
} from './audit-rules.ts';
import type { AuditSettings } from './audit-settings.ts';

export interface DeviceFinding {
  strategy: Strategy;
  finding: DeviceAuditResult;
  fetchedAt: number;
}

export interface FinishedAudit {
  siteId: number;
  auditId: string;
  engine: Engine | null;
  found: readonly DeviceFinding[];
  fault: AuditFault | null;
}

export interface AuditRecorderDeps {
  knex: Knex;
  clock: Clock;
  alerts: Alerts;
  settings: () => AuditSettings;
}

/**
 * Records audits. The findings, the state and the alert are one transaction: if the process is killed, none of them is
 * stored and the audit is repeated.
 */
export class AuditRecorder {
  readonly #deps: AuditRecorderDeps;

  constructor(deps: AuditRecorderDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the audit of a job. `over` is the result if no audit must run, because this job has already recorded its
   * audit or another job is auditing the site. A new job that repeats an earlier job gets an audit of its own.
   */
  begin(siteId: number, jobId: string, strategy: StrategyChoice | null): Promise<StartedAudit> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const { repository, audit } = await lockAudit(trx, siteId);
      const isOurs = audit.jobId === jobId;
      const auditId = (isOurs ? audit.auditId : null) ?? randomUUID();
      if (isOurs && audit.state === 'completed')
        return { auditId, over: await readAuditResult(repository, siteId, auditId) };
      if (!isOurs && isUnderWay(audit.state, await new JobReadModel(trx).isUnfinished(audit.jobId)))
        return { auditId, over: { auditId: audit.auditId, state: 'queued', desktop: null, mobile: null } };
      const startedAt = this.#deps.clock.now();
      await repository.save([{ ...audit, auditId, jobId, strategy, state: 'running', startedAt, error: null }]);
      return { auditId, over: null };
    });
  }

  requeue(siteId: number, auditId: string, lease: Lease): Promise<void> {
    return this.#change({ siteId, auditId }, lease, async ({ repository, audit }) => {
      await repository.save([{ ...audit, state: 'queued', startedAt: null }]);
    });
  }

  /**
   * Records a finished audit. If another audit has replaced it, the findings are discarded without an error. Throws
   * `LeaseLostError`.
   */
  async record(end: FinishedAudit, lease: Lease): Promise<AuditJobResult> {
    const { siteId, auditId, engine, found: findings, fault } = end;
    await this.#change(end, lease, async ({ trx, repository, audit }) => {
      const before = await repository.deviceAudits(siteId);
      const after: DeviceAudits = { ...before };
      for (const { strategy, finding, fetchedAt } of findings) {
        const side = withPreviousScores(before[strategy], { ...finding, fetchedAt });
        after[strategy] = side;
        await repository.addDeviceAudit({ siteId, auditId }, strategy, side);
      }
      const state = findings.length > 0 ? ('completed' as const) : ('failed' as const);
      const lastCheckAt = this.#deps.clock.now();
      const ended = { ...audit, state, lastCheckAt, error: fault, engine: engine ?? audit.engine };
      await repository.save([{ ...ended, isBelow: await this.#raiseIfBelow(trx, ended, after) }]);
    });
    const of = (strategy: Strategy): number | null =>
      findings.find((side) => side.strategy === strategy)?.finding.scores.performance ?? null;
    return { auditId, state: 'completed', desktop: of('desktop'), mobile: of('mobile') };
  }

  /** Returns true if the score is below the threshold. Raises an alert only if the previous score was not below it. */
  async #raiseIfBelow(trx: Knex.Transaction, audit: Audit, sides: DeviceAudits): Promise<boolean> {
    const { clock, alerts } = this.#deps;
    const { threshold, strategy } = this.#deps.settings();
    if (audit.state !== 'completed') return audit.isBelow;
    const shown = pickDeviceAudits(sides, strategy);
    const falls = isScoreBelow(shown, threshold);
    const site = falls && !audit.isBelow ? await new SiteRepository(trx, clock.now()).findKeyed(audit.siteId) : null;
    if (site) {
      const of = (device: Strategy): number | null => shown[device]?.scores.performance ?? null;
      await alerts.raise(trx, {
        type: 'perf_audit_noti_email',
        key: `perf_audit:${audit.auditId}`,
        site: { id: site.id, url: site.url, name: site.name },
        facts: { score: lowestPerformanceScore(shown) ?? 0, threshold, desktop: of('desktop'), mobile: of('mobile') },
      });
    }
    return falls;
  }

  #change(
    { siteId, auditId }: Pick<FinishedAudit, 'siteId' | 'auditId'>,
    lease: Lease,
    change: (held: LockedAudit & { trx: Knex.Transaction }) => Promise<void>,
  ): Promise<void> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      // If this process stood still, another one may have repeated the audit under the same ID.
      await lease.lock(trx);
      const held = await lockAudit(trx, siteId);
      if (held.audit.auditId === auditId) await change({ ...held, trx });
    });
  }
}

interface StartedAudit {
  auditId: string;
  over: AuditJobResult | null;
}

interface LockedAudit {
  repository: AuditRepository;
  audit: Audit;
}

async function lockAudit(trx: Knex.Transaction, siteId: number): Promise<LockedAudit> {
  const repository = new AuditRepository(trx);
  const audit = (await repository.lock([siteId])).get(siteId);
  if (!audit) throw new Error(`Site ${siteId} has no audit.`);
  return { repository, audit };
}

async function readAuditResult(repository: AuditRepository, siteId: number, auditId: string): Promise<AuditJobResult> {
  const { desktop, mobile } = await repository.deviceAudits(siteId);
  return {
    auditId,
    state: 'completed',
    desktop: desktop?.scores.performance ?? null,
    mobile: mobile?.scores.performance ?? null,
  };
}
