import { type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { ClientService } from '../clients/index.ts';
import { refuseUnlessConnected, type SiteWithUrlKey, type SiteRef, type SiteTargetSelector } from '../sites/index.ts';
import type { TagService } from '../tags/index.ts';
import { AuditReadModel, type AuditFilter, type SiteAuditOverview, type TimeRange } from './audit-read-model.ts';
import type { AuditRequest, AuditRequester, RequestedAudit, AuditRequestOutcome } from './audit-requester.ts';
import type { AuditSettings } from './audit-settings.ts';
import type { StrategyChoice } from './audit.ts';

/**
 * A site must match all filters; an empty list is not a filter. A tag is an ID or a name (digits are an ID), and a
 * client is an ID or an email address.
 */
export interface AuditQuery extends Omit<AuditFilter, 'siteIds' | 'tagIds' | 'clientIds'> {
  sites?: readonly SiteRef[];
  tags?: readonly string[];
  clients?: readonly string[];
}

export interface AuditViewOptions {
  strategy?: StrategyChoice;
  history?: TimeRange;
}

export interface AuditServiceDeps {
  knex: Knex;
  requests: AuditRequester;
  targets: SiteTargetSelector;
  clients: Pick<ClientService, 'idsOf'>;
  tags: Pick<TagService, 'idsOf'>;
  settings: () => AuditSettings;
}

export class AuditService {
  readonly #deps: AuditServiceDeps;
  readonly #list: AuditReadModel;

  constructor(deps: AuditServiceDeps) {
    this.#deps = deps;
    this.#list = new AuditReadModel(deps.knex);
  }

  get threshold(): number {
    return this.#deps.settings().threshold;
  }

  /** Throws `svc_client_not_found` and `svc_tag_not_found`. Ignores unknown sites. */
  async list(query: AuditQuery, viewing: AuditViewOptions, request: PageRequest): Promise<Page<SiteAuditOverview>> {
    const { sites, tags, clients, ...filter } = query;
    const [siteIds, tagIds, clientIds] = await Promise.all([
      sites?.length ? this.#siteIds(filter.scope, sites) : undefined,
      tags?.length ? this.#deps.tags.idsOf(filter.scope, tags) : undefined,
      clients?.length ? this.#deps.clients.idsOf(filter.scope, clients) : undefined,
    ]);
    const narrowed = {
      ...filter,
      ...(siteIds && { siteIds }),
      ...(tagIds && { tagIds }),
      ...(clientIds && { clientIds }),
    };
    return this.#list.page(narrowed, { strategy: this.#deps.settings().strategy, ...viewing }, request);
  }

  async get(siteId: number, history?: TimeRange): Promise<SiteAuditOverview> {
    const { strategy } = this.#deps.settings();
    const record = await this.#list.get(siteId, { strategy, ...(history && { history }) });
    if (!record) throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
    return record;
  }

  async requestMany(
    scope: SiteScope,
    refs: readonly SiteRef[],
    request: AuditRequest,
  ): Promise<AuditRequestOutcome & { errors: ItemError[] }> {
    const { sites, errors } = await this.#deps.targets.choose(scope, refs, 'connected');
    const named = sites.map(({ site }) => site);
    return { ...(await this.#request(named, request)), errors };
  }

  /** Throws `svc_site_suspended`, `svc_site_disconnected` or `svc_site_not_found`. */
  async requestOne(site: SiteWithUrlKey, request: AuditRequest): Promise<RequestedAudit> {
    refuseUnlessConnected(site);
    const { audits } = await this.#request([site], request);
    const audit = audits.get(site.id);
    if (!audit) throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
    return audit;
  }

  #request(sites: readonly SiteWithUrlKey[], request: AuditRequest): Promise<AuditRequestOutcome> {
    return inTransaction(this.#deps.knex, (scope) => this.#deps.requests.request(scope, sites, request));
  }

  async #siteIds(scope: SiteScope, refs: readonly SiteRef[]): Promise<number[]> {
    const { sites } = await this.#deps.targets.choose(scope, refs, 'any');
    return sites.map(({ site }) => site.id);
  }
}
