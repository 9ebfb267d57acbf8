import { DomainError, TooLargeError, type ItemError } from '../../shared/errors.ts';
import type { SelectedSites, SiteOutcome, SiteSelector } from '../fleet-reads/index.ts';
import type { KeyedSite } from '../sites/index.ts';
import type { ChildUserService } from './child-user-service.ts';
import type { UserOnSite } from './child-user.ts';
import type { SiteChanges } from './site-changes.ts';
import { readUserFile, type FileRow } from './user-file.ts';

/** What came of one row: where the user was created, and everything that stood in the way. */
export interface ImportedRow {
  line: number;
  username: string;
  email: string;
  created: { site: KeyedSite; value: UserOnSite }[];
  /** Null when the user was created on every site of the row. */
  error: string | null;
  errors: ItemError[];
}

/** Rows times their sites; a tag may stand for the whole fleet. */
const MAX_CREATIONS = 10_000;

interface Planned {
  row: FileRow;
  selected: SelectedSites;
  fault: string | null;
}

/** Creates the users of a file, on the sites and on the sites of the tags that each row names. */
export class UserImport {
  readonly #users: ChildUserService;
  readonly #selector: SiteSelector;
  readonly #changes: SiteChanges;

  constructor(parts: { users: ChildUserService; selector: SiteSelector; changes: SiteChanges }) {
    this.#users = parts.users;
    this.#selector = parts.selector;
    this.#changes = parts.changes;
  }

  /** One result for each row, in the order of the file. */
  async run(text: string, hasHeader: boolean, actor: string): Promise<ImportedRow[]> {
    const planned = await this.#plan(readUserFile(text, hasHeader));
    const changes = planned.flatMap(({ row: { asked }, selected: { sites } }) =>
      asked ? sites.map((site) => this.#users.creation(site, asked.user, actor)) : [],
    );
    const outcomes = await this.#changes.all(changes);
    let taken = 0;
    return planned.map((plan) => imported(plan, outcomes.slice(taken, (taken += plan.selected.sites.length))));
  }

  async #plan(rows: readonly FileRow[]): Promise<Planned[]> {
    const known = new Map<string, Promise<SelectedSites>>();
    const planned: Planned[] = [];
    let creations = 0;
    for (const row of rows) {
      const plan = await this.#planned(row, known);
      creations += plan.selected.sites.length;
      if (creations > MAX_CREATIONS)
        throw new TooLargeError(
          'svc_request_too_large',
          `A file may ask for ${MAX_CREATIONS} users in all, each row once for each of its sites.`,
        );
      planned.push(plan);
    }
    return planned;
  }

  async #planned(row: FileRow, known: Map<string, Promise<SelectedSites>>): Promise<Planned> {
    const none = { sites: [], errors: [] };
    if (!row.asked) return { row, selected: none, fault: row.fault };
    const { sites, tags } = row.asked;
    const key = JSON.stringify([sites, tags]);
    const selecting = known.get(key) ?? this.#select(sites, tags);
    known.set(key, selecting);
    try {
      const selected = await selecting;
      const nowhere = selected.sites.length + selected.errors.length === 0;
      return { row, selected, fault: nowhere ? 'No site carries these tags.' : null };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { row, selected: none, fault: error.message };
    }
  }

  /** What is named twice, by itself and by a tag, counts once. */
  async #select(websites: string[], groups: string[]): Promise<SelectedSites> {
    const parts = [
      ...(websites.length ? [await this.#selector.select({ websites })] : []),
      ...(groups.length ? [await this.#selector.select({ groups })] : []),
    ];
    const sites = new Map(parts.flatMap((part) => part.sites).map((site) => [site.id, site]));
    const errors = new Map(
      parts.flatMap((part) => part.errors).map((error) => [error.site_id ?? error.identifier, error]),
    );
    return { sites: [...sites.values()], errors: [...errors.values()] };
  }
}

function imported({ row, selected, fault }: Planned, outcomes: SiteOutcome<UserOnSite>[]): ImportedRow {
  const { line, username, email } = row;
  const errors = [...selected.errors, ...outcomes.flatMap((outcome) => ('error' in outcome ? outcome.error : []))];
  const created = outcomes.flatMap((outcome) => ('value' in outcome ? outcome : []));
  return { line, username, email, created, errors, error: fault ?? inWords(errors) };
}

function inWords(errors: readonly ItemError[]): string | null {
  const [first] = errors;
  if (!first) return null;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first.site_url ?? first.identifier}: ${first.message}${more}`;
}
