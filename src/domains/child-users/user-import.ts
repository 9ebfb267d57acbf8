import { type SiteScope } from '../../shared/site-scope.ts';
import { DomainError, TooLargeError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { SelectedSites, SiteSelector } from '../fleet-reads/index.ts';
import type { FleetResultsAndErrors } from '../jobs/index.ts';
import type { ResolvedSite } from '../sites/index.ts';
import type { FleetUserChanges } from './fleet-user-changes.ts';
import {
  ALL_SITES,
  itemIdentifierOfFileRow,
  fileRowNumberOfItem,
  siteReferenceOfItem,
  type UserCreationJobResult,
} from './user.jobs.ts';
import { parseUserFile, type UserFileRow } from './user-file.ts';
import type { Requester } from '../../shared/requester.ts';

export interface ImportedRow {
  line: number;
  username: string;
  email: string;
  created: UserCreationJobResult[];
  error: string | null;
  errors: ItemError[];
}

/**
 * Maximum number of users that one file creates, counted for each site of each row. A tag in a row can stand for the
 * whole fleet.
 */
const MAX_CREATIONS = 10_000;

interface PlannedRow {
  row: UserFileRow;
  selected: SelectedSites;
  fault: string | null;
}

export class UserImport {
  readonly #users: FleetUserChanges;
  readonly #selector: SiteSelector;

  constructor(deps: { users: FleetUserChanges; selector: SiteSelector }) {
    this.#users = deps.users;
    this.#selector = deps.selector;
  }

  async run(scope: SiteScope, text: string, hasHeader: boolean, requestedBy: Requester): Promise<ImportedRow[]> {
    const planned = await this.#plan(scope, parseUserFile(text, hasHeader));
    const users = planned.flatMap(({ row: { line, request: asked } }) => (asked ? [[line, asked.user] as const] : []));
    const items = planned.flatMap(({ row: { line }, selected: { sites } }) =>
      sites.map(({ identifier, site }) => ({ identifier: itemIdentifierOfFileRow(line, identifier), site })),
    );
    const outcomeOfRow = groupOutcomesByRow(
      await this.#users.createEach(Object.fromEntries(users), items, requestedBy),
    );
    return planned.map((plan) => toImportedRow(plan, outcomeOfRow(plan.row)));
  }

  async #plan(scope: SiteScope, rows: readonly UserFileRow[]): Promise<PlannedRow[]> {
    const known = new Map<string, Promise<SelectedSites>>();
    const planned: PlannedRow[] = [];
    let creations = 0;
    for (const row of rows) {
      const plan = await this.#planned(scope, row, known);
      creations += plan.selected.sites.length;
      if (creations > MAX_CREATIONS)
        throw new TooLargeError(
          'svc_request_too_large',
          `A file can create at most ${MAX_CREATIONS} users in total. Each row counts once for each of its sites.`,
        );
      planned.push(plan);
    }
    return planned;
  }

  async #planned(scope: SiteScope, row: UserFileRow, known: Map<string, Promise<SelectedSites>>): Promise<PlannedRow> {
    const none = { sites: [], errors: [] };
    if (!row.request) return { row, selected: none, fault: row.fault };
    const { sites, tags } = row.request;
    const key = JSON.stringify([sites, tags]);
    const selecting = known.get(key) ?? this.#select(scope, sites, tags);
    known.set(key, selecting);
    try {
      const selected = await selecting;
      const nowhere = selected.sites.length + selected.errors.length === 0;
      return { row, selected, fault: nowhere ? 'No site has these tags.' : null };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { row, selected: none, fault: error.message };
    }
  }

  async #select(scope: SiteScope, sites: string[], tags: string[]): Promise<SelectedSites> {
    const parts = [
      ...(sites.length ? [await this.#selector.select({ scope, sites })] : []),
      ...(tags.length ? [await this.#selector.select({ scope, tags })] : []),
    ];
    const selected = new Map<number, ResolvedSite>();
    for (const named of parts.flatMap((part) => part.sites))
      if (!selected.has(named.site.id)) selected.set(named.site.id, named);
    const errors = new Map(
      parts.flatMap((part) => part.errors).map((error) => [error.site_id ?? error.identifier, error]),
    );
    return { sites: [...selected.values()], errors: [...errors.values()] };
  }
}

function groupOutcomesByRow({
  results,
  errors,
}: FleetResultsAndErrors<UserCreationJobResult>): (row: UserFileRow) => FleetResultsAndErrors<UserCreationJobResult> {
  const rows = new Map<string, FleetResultsAndErrors<UserCreationJobResult>>();
  const at = (row: string): FleetResultsAndErrors<UserCreationJobResult> => {
    const known = rows.get(row) ?? { results: [], errors: [] };
    rows.set(row, known);
    return known;
  };
  for (const result of results) at(result.row ?? ALL_SITES).results.push(result);
  for (const error of errors)
    at(fileRowNumberOfItem(error.identifier)).errors.push({ ...error, identifier: siteReferenceOfItem(error) });
  return ({ line }) => at(String(line));
}

function toImportedRow(
  { row, selected, fault }: PlannedRow,
  outcome: FleetResultsAndErrors<UserCreationJobResult>,
): ImportedRow {
  const { line, username, email } = row;
  const errors = [...selected.errors, ...outcome.errors];
  return { line, username, email, created: outcome.results, errors, error: fault ?? summarizeErrors(errors) };
}

function summarizeErrors(errors: readonly ItemError[]): string | null {
  const [first] = errors;
  if (!first) return null;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first.site_url ?? first.identifier}: ${first.message}${more}`;
}
