import type { Knex } from 'knex';
import { ConflictError, ForbiddenError, NotFoundError } from '../../shared/errors.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { whereInScope } from './site-scope-read-model.ts';

export interface SiteAssignment {
  clientId?: number | null;
  tagIds?: readonly number[];
}

export class SiteAssignments {
  readonly #knex: Knex;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  /**
   * Throws `svc_client_not_found` or `svc_tag_not_found` for a client or tag that the caller does not see: no site in
   * its scope has it, and its limits do not name it. `names` tests the limits. For a new site, it is `isNamedByOne`:
   * one limit may name the client and another one the tag.
   */
  async refuseUnseen(
    scope: SiteScope,
    { clientId = null, tagIds = [] }: SiteAssignment,
    names: typeof isNamedByEach = isNamedByEach,
  ): Promise<void> {
    if (!isLimited(scope)) return;
    if (clientId !== null && !names(scope, 'clients', clientId) && !(await this.#seesClient(scope, clientId)))
      throw new NotFoundError('svc_client_not_found', 'No client has this ID.');
    const others = tagIds.filter((id) => !names(scope, 'tags', id));
    if (others.length > 0 && (await this.#seenTags(scope, others)) < new Set(others).size)
      throw new NotFoundError('svc_tag_not_found', 'At least one of these tag IDs does not exist.');
  }

  async #seesClient(scope: SiteScope, clientId: number): Promise<boolean> {
    const query = this.#knex('sites').where('sites.client_id', clientId);
    whereInScope(this.#knex, query, scope);
    return (await query.first<{ id: number } | undefined>('sites.id')) !== undefined;
  }

  async #seenTags(scope: SiteScope, ids: readonly number[]): Promise<number> {
    const query = this.#knex('site_tags').whereIn('site_tags.tag_id', [...ids]);
    whereInScope(this.#knex, query, scope, 'site_tags.site_id');
    return (await query.distinct('site_tags.tag_id').pluck<number[]>('site_tags.tag_id')).length;
  }
}

export function refuseOutside(scope: SiteScope, { clientId = null, tagIds = [] }: SiteAssignment): void {
  const isInside = scope.limits.every(
    ({ clients, tags }) => (clientId !== null && clients.includes(clientId)) || tagIds.some((id) => tags.includes(id)),
  );
  if (!isInside) throw outsideError('A new site must have a client or a tag of your limits.');
}

export const outsideError = (message: string, sitesOutside = 0): ForbiddenError =>
  new ForbiddenError('svc_outside_limits', message, sitesOutside > 0 ? { sites_outside: sitesOutside } : {});

export const isNamedByOne = ({ limits }: SiteScope, kind: 'clients' | 'tags', id: number): boolean =>
  limits.some((limit) => limit[kind].includes(id));

export const isNamedByEach = ({ limits }: SiteScope, kind: 'clients' | 'tags', id: number): boolean =>
  limits.every((limit) => limit[kind].includes(id));

export const namedByEach = (scope: SiteScope, kind: 'clients' | 'tags'): number[] =>
  (scope.limits[0]?.[kind] ?? []).filter((id) => isNamedByEach(scope, kind, id));

export function refuseSitesOutside(record: 'client' | 'tag' | 'cost', outside: number): void {
  if (outside > 0) throw outsideError(`The ${record} has sites that are outside your limits.`, outside);
}

export const isKnownAddress = (error: unknown): error is ConflictError =>
  error instanceof ConflictError && error.code === 'svc_site_already_exists';
