import { randomUUID } from 'node:crypto';
import type { TransactionScope } from '../../db/transaction.ts';
import type { Queue } from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { JobReadModel } from '../jobs/index.ts';
import type { SiteWithUrlKey } from '../sites/index.ts';
import type { AuditState, StrategyChoice } from './audit.ts';
import type { AuditJob } from './audit.job.ts';
import { isRecent, isUnderWay } from './audit-rules.ts';
import { AuditRepository, emptyAuditOf, type Audit } from './audit-repository.ts';
import type { AuditSettings } from './audit-settings.ts';
import type { Requester } from '../../shared/requester.ts';

export interface AuditRequest {
  strategy: StrategyChoice | null;
  force: boolean;
  requestedBy: Requester;
}

export type SkipCode = 'svc_site_suspended' | 'svc_site_disconnected' | 'svc_audit_recent';

export interface RequestedAudit {
  auditId: string;
  state: AuditState;
  jobId: string | null;
}

export interface AuditRequestOutcome {
  audits: Map<number, RequestedAudit>;
  queued: number;
  skipped: { siteId: number; code: SkipCode }[];
  jobId: string | null;
}

export interface AuditRequesterDeps {
  clock: Clock;
  queue: Pick<Queue, 'enqueue'>;
  job: AuditJob;
  settings: () => AuditSettings;
}

export class AuditRequester {
  readonly #deps: AuditRequesterDeps;

  constructor(deps: AuditRequesterDeps) {
    this.#deps = deps;
  }

  /** A site gets no new audit if one is queued or running or, without `force`, if the last one is recent. */
  async request(
    scope: TransactionScope,
    sites: readonly SiteWithUrlKey[],
    request: AuditRequest,
  ): Promise<AuditRequestOutcome> {
    const { clock, queue, job } = this.#deps;
    const repository = new AuditRepository(scope.trx);
    const connected = sites.filter(({ status }) => status === 'connected');
    const before = await repository.lock(connected.map(({ id }) => id).sort((a, b) => a - b));
    const unfinished = await new JobReadModel(scope.trx).unfinishedAmong(jobIdsOf([...before.values()]));
    const outcome: AuditRequestOutcome = { audits: new Map(), queued: 0, skipped: [], jobId: null };
    const fresh: SiteWithUrlKey[] = [];
    for (const site of sites) {
      const skipped = site.status === 'connected' ? null : (`svc_site_${site.status}` as const);
      const audit = before.get(site.id) ?? emptyAuditOf(site.id);
      const { auditId, state, jobId } = audit;
      if (skipped) outcome.skipped.push({ siteId: site.id, code: skipped });
      else if (auditId !== null && isUnderWay(state, jobId !== null && unfinished.has(jobId)))
        outcome.audits.set(site.id, { auditId, state, jobId });
      else if (auditId !== null && !request.force && isRecent(audit, { now: clock.now(), ...this.#deps.settings() })) {
        outcome.audits.set(site.id, { auditId, state, jobId });
        outcome.skipped.push({ siteId: site.id, code: 'svc_audit_recent' });
      } else fresh.push(site);
    }
    if (fresh.length === 0) return outcome;
    const { strategy, requestedBy } = request;
    const items = fresh.map(({ id }) => ({ siteId: id, identifier: id }));
    const jobId = await queue.enqueue(scope, job, { input: { strategy }, items, requestedBy });
    const queued = fresh.map(({ id }) =>
      this.#queued(before.get(id) ?? emptyAuditOf(id), { jobId, strategy, auditId: randomUUID() }),
    );
    await repository.save(queued);
    for (const { siteId, auditId, state } of queued) outcome.audits.set(siteId, { auditId, state, jobId });
    return { ...outcome, queued: fresh.length, jobId };
  }

  #queued<New extends { auditId: string }>(before: Audit, audit: New): Audit & New {
    return { ...before, ...audit, state: 'queued', queuedAt: this.#deps.clock.now(), startedAt: null, error: null };
  }
}

const jobIdsOf = (audits: readonly Audit[]): string[] => [...new Set(audits.flatMap(({ jobId }) => jobId ?? []))];
