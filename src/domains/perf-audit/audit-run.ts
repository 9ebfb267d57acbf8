import { LeaseLostError } from '../../db/lease.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import { PostponedItem, type ItemResult } from '../../queue/index.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Clock } from '../../shared/clock.ts';
import { AuditFailedError, DatabaseUnavailableError } from '../../shared/errors.ts';
import type { SiteWithUrlKey, ChildLinkResolver, SiteReferences } from '../sites/index.ts';
import { AuditError, type AuditFault, type Strategy } from './audit.ts';
import type { AuditJobCall, AuditJobResult } from './audit.job.ts';
import type { AuditRecorder, DeviceFinding } from './audit-recorder.ts';
import { strategiesOf } from './audit-rules.ts';
import type { AuditSettings } from './audit-settings.ts';
import { refuseBlockedUrl } from './blocked-url-check.ts';
import type { AuditProvider, PageAuditRequest } from './audit-provider.ts';
import { parseLighthouseReport } from './lighthouse-report.ts';

export interface AuditRunDeps {
  clock: Clock;
  outbound: Pick<Outbound, 'resolve'>;
  links: Pick<ChildLinkResolver, 'webTargets'>;
  references: Pick<SiteReferences, 'one'>;
  recorder: AuditRecorder;
  settings: () => AuditSettings;
  provider: () => Promise<AuditProvider>;
}

/** Maximum number of attempts. A retry can succeed, because a quota may be available again after a pause. */
const ATTEMPTS = 3;

interface AuditFindings {
  engine: AuditProvider['engine'];
  found: DeviceFinding[];
  fault: AuditFault | null;
}

export class AuditRun {
  readonly #deps: AuditRunDeps;

  constructor(deps: AuditRunDeps) {
    this.#deps = deps;
  }

  async perform({ subject: siteId, item, input, signal, lease }: AuditJobCall): Promise<ItemResult<AuditJobResult>> {
    const { clock, recorder, references } = this.#deps;
    const site = await references.one(ALL_SITES, siteId);
    const { auditId, over } = await recorder.begin(siteId, item.jobId, input.strategy);
    if (over) return over;
    try {
      const ran = await this.#run(site, strategiesOf(input.strategy ?? this.#deps.settings().strategy), signal);
      return await recorder.record({ siteId, auditId, ...ran }, lease);
    } catch (error) {
      if (signal.aborted || error instanceof DatabaseUnavailableError || error instanceof LeaseLostError) throw error;
      const fault = errorToAuditFault(error);
      if (error instanceof AuditError && error.retryAfterMs !== null && item.attempt < ATTEMPTS) {
        await recorder.requeue(siteId, auditId, lease);
        return new PostponedItem(clock.now() + error.retryAfterMs);
      }
      await recorder.record({ siteId, auditId, engine: null, found: [], fault }, lease);
      if (!(error instanceof AuditError)) throw error;
      throw new AuditFailedError('svc_audit_failed', fault.message, {}, { cause: error });
    }
  }

  async #run(
    { id, status }: SiteWithUrlKey,
    strategies: readonly Strategy[],
    signal: AbortSignal,
  ): Promise<AuditFindings> {
    const { links, outbound, settings, provider } = this.#deps;
    if (status !== 'connected') throw new AuditError('site_unavailable', `The site is ${status}.`);
    const [target] = await links.webTargets([id]);
    if (!target) throw new AuditError('site_unavailable', 'The site was deleted.');
    const auditor = await provider();
    await refuseBlockedUrl(outbound, target.url, signal);
    const page = { url: target.url, locale: settings().locale, verifyTls: target.verifyTls };
    return this.#devices(auditor, page, strategies, signal);
  }

  /**
   * Audits a page on each device. The first failure ends the audit, because the next device would probably fail too and
   * take just as long. Earlier findings are kept.
   */
  async #devices(
    auditor: AuditProvider,
    page: Omit<PageAuditRequest, 'strategy'>,
    strategies: readonly Strategy[],
    signal: AbortSignal,
  ): Promise<AuditFindings> {
    const ran: AuditFindings = { engine: auditor.engine, found: [], fault: null };
    for (const strategy of strategies) {
      try {
        const finding = parseLighthouseReport(await auditor.audit({ ...page, strategy }, signal));
        ran.found.push({ strategy, finding, fetchedAt: this.#deps.clock.now() });
      } catch (error) {
        if (signal.aborted || !(error instanceof AuditError) || ran.found.length === 0) throw error;
        return { ...ran, fault: { code: error.code, message: `${error.message} (${strategy})` } };
      }
    }
    return ran;
  }
}

const errorToAuditFault = (error: unknown): AuditFault =>
  error instanceof AuditError
    ? { code: error.code, message: error.message }
    : { code: 'provider_failed', message: 'Something went wrong on our side.' };
