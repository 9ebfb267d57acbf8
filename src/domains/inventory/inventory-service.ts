import type { Knex } from 'knex';
import type { ChildLink, ChildSite, ChildStats, ItemActionAnswer } from '../../connector/child-site.ts';
import { cut } from '../../db/replace-rows.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ChildBadAnswerError, isOutcomeOpen, NotFoundError, type DomainError } from '../../shared/errors.ts';
import type { ChangeLog } from '../changes/index.ts';
import type { KeyedSite, SiteCalls, SyncService } from '../sites/index.ts';
import {
  failed,
  heldBack,
  protectedBy,
  isReached,
  notFound,
  reported,
  type InstalledItem,
  type Inventory,
  type ItemAction,
  type ItemFailure,
  type ItemKind,
} from './inventory.ts';
import { InventoryRepository } from './inventory-repository.ts';

/** What came of each slug, in the order given. */
export interface ItemOutcome {
  site: KeyedSite;
  done: string[];
  /** The same, with what they are called. */
  items: NamedItem[];
  errors: ItemFailure[];
}

/** A plugin or theme that an action was about. */
export type NamedItem = Pick<InstalledItem, 'slug' | 'name' | 'version'>;

export interface ActivatedTheme {
  activated: NamedItem;
  /** Null when none was known; the same when it was active already. */
  previousTheme: NamedItem | null;
}

export interface InventoryServiceParts {
  knex: Knex;
  child: ChildSite;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request' | 'store'>;
  changeLog: ChangeLog;
}

type Task = { actor: string } & (
  { kind: 'plugin'; action: ItemAction } | { kind: 'theme'; action: Exclude<ItemAction, 'deactivate'> }
);

type Refused = ItemActionAnswer['refused'];

/** The state behind an outcome: what there was, what is now, and how the call broke if it did. */
interface Course {
  before: Inventory;
  after: Inventory;
  refused: Refused;
  broken: DomainError | null;
}

/**
 * Actions on the plugins and themes of a site. What the child claims decides nothing: its state is read back, stored, and
 * reported, so that the next read is true without a sync. One call carries all slugs of an action and is never sent twice.
 */
export class InventoryService {
  readonly #parts: InventoryServiceParts;

  constructor(parts: InventoryServiceParts) {
    this.#parts = parts;
  }

  activatePlugins(siteId: number, slugs: readonly string[], actor: string): Promise<ItemOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'activate', actor });
  }

  deactivatePlugins(siteId: number, slugs: readonly string[], actor: string): Promise<ItemOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'deactivate', actor });
  }

  deletePlugins(siteId: number, slugs: readonly string[], actor: string): Promise<ItemOutcome> {
    return this.#run(siteId, slugs, { kind: 'plugin', action: 'delete', actor });
  }

  deleteThemes(siteId: number, slugs: readonly string[], actor: string): Promise<ItemOutcome> {
    return this.#run(siteId, slugs, { kind: 'theme', action: 'delete', actor });
  }

  /** A single theme has no list of errors: what failed is thrown. */
  async activateTheme(siteId: number, slug: string, actor: string): Promise<ActivatedTheme> {
    const { errors, items, course } = await this.#run(siteId, [slug], { kind: 'theme', action: 'activate', actor });
    const [failure] = errors;
    if (failure?.code === 'svc_theme_not_found') throw new NotFoundError('svc_theme_not_found', failure.message);
    if (failure) throw course.broken ?? new ChildBadAnswerError('The site did not switch to the theme.');
    const previous = [...course.before.values()].find(({ active }) => active);
    const [activated = { slug, name: slug, version: '' }] = items;
    return { activated, previousTheme: previous ? named(previous) : null };
  }

  #run(siteId: number, slugs: readonly string[], task: Task): Promise<ItemOutcome & { course: Course }> {
    const wanted = [...new Set(slugs)];
    return this.#parts.calls.run(siteId, async (link, site) => {
      const course = await this.#pursue(task, wanted, site, link);
      const failures = wanted.flatMap((slug) => this.#failure(task, slug, site, course) ?? []);
      const missed = new Set(failures.map(({ identifier }) => identifier));
      const done = wanted.filter((slug) => !missed.has(slug));
      const items = done.flatMap((slug) => course.after.get(slug) ?? course.before.get(slug) ?? []).map(named);
      return { site, done, items, errors: failures, course };
    });
  }

  async #pursue(task: Task, wanted: string[], site: KeyedSite, link: ChildLink): Promise<Course> {
    const before = await this.#before(task, wanted, site, link);
    const held = (slug: string): boolean => heldBack(task.action, before.get(slug)) !== null;
    const sent = wanted.filter((slug) => before.has(slug) && !held(slug) && !isSettled(task, before.get(slug)));
    if (sent.length === 0) return { before, after: before, refused: [], broken: null };
    const { report, after, refused, broken } = await this.#send(task, sent, site, link);
    // The log first: should storing the report fail, the next sync brings it, and nothing would bring the log entry.
    await this.#log(task, site, sent, { before, after, refused, broken });
    await this.#parts.sync.store(site, report, { complete: false });
    return { before, after, refused, broken };
  }

  /**
   * What is on the site before the action: as stored, unless an item is unknown there, for it may have been installed since,
   * or would be reported as done without a call.
   */
  async #before(task: Task, wanted: string[], site: KeyedSite, link: ChildLink): Promise<Inventory> {
    const stored = await new InventoryRepository(this.#parts.knex).installed(site.id, task.kind);
    if (!wanted.some((slug) => !stored.has(slug) || isSettled(task, stored.get(slug)))) return stored;
    const { report, inventory } = await this.#read(task.kind, site, link);
    await this.#parts.sync.store(site, report, { complete: false });
    return inventory;
  }

  /** Sends the one call, and reads the state back where its answer does not tell it. */
  async #send(
    task: Task,
    slugs: string[],
    site: KeyedSite,
    link: ChildLink,
  ): Promise<{ report: ChildStats; after: Inventory; refused: Refused; broken: DomainError | null }> {
    let answer: ItemActionAnswer;
    try {
      answer = await this.#call(task, slugs, link);
    } catch (error) {
      if (!isOutcomeOpen(error)) throw error;
      const { report, inventory } = await this.#read(task.kind, site, link).catch(() => {
        throw error;
      });
      return { report, after: inventory, refused: [], broken: error };
    }
    const told = answer.after && reported(task.kind, answer.after);
    if (answer.after && told) return { report: answer.after, after: told, refused: answer.refused, broken: null };
    const { report, inventory } = await this.#read(task.kind, site, link);
    return { report, after: inventory, refused: answer.refused, broken: null };
  }

  #call(task: Task, slugs: string[], link: ChildLink): Promise<ItemActionAnswer> {
    const { child } = this.#parts;
    return task.kind === 'plugin'
      ? child.pluginAction(link, task.action, slugs)
      : child.themeAction(link, task.action, slugs);
  }

  async #read(kind: ItemKind, site: KeyedSite, link: ChildLink): Promise<{ report: ChildStats; inventory: Inventory }> {
    const { child, sync } = this.#parts;
    const report = await child.stats(link, await sync.request(site.id));
    const inventory = reported(kind, report);
    if (!inventory) throw new ChildBadAnswerError(`The site did not report its ${kind}s.`);
    return { report, inventory };
  }

  async #log({ kind, action, actor }: Task, site: KeyedSite, sent: string[], course: Course): Promise<void> {
    const { knex, changeLog } = this.#parts;
    const changed = sent.flatMap((slug) => {
      const [old, now] = [course.before.get(slug), course.after.get(slug)];
      const item = now ?? old;
      return item && isReached(action, now) && !isReached(action, old) ? [item] : [];
    });
    if (changed.length === 0) return;
    await inTransaction(knex, ({ trx }) =>
      changeLog.append(
        trx,
        ...changed.map(({ slug, name, version }) => ({
          siteId: site.id,
          type: `${kind}.${action}d`,
          description: `${VERBS[action]} the ${kind} ${cut(name || slug, 255)} ${cut(version, 64)}`.trimEnd() + '.',
          actor,
        })),
      ),
    );
  }

  #failure({ kind, action }: Task, slug: string, site: KeyedSite, course: Course): ItemFailure | null {
    const place = { identifier: slug, site_id: site.id, site_url: site.url, type: kind, slug };
    const [old, now] = [course.before.get(slug), course.after.get(slug)];
    if (!old) return { ...place, ...notFound(kind) };
    if (isReached(action, now)) return null;
    if (!now) return { ...place, ...notFound(kind) };
    const refusal = course.refused.find((each) => each.slug === slug)?.reason;
    const held = heldBack(action, now) ?? heldBack(action, old);
    if (refusal) return { ...place, ...protectedBy(refusal === 'active_theme' ? 'active_theme' : 'parent_theme') };
    return { ...place, ...(held ? protectedBy(held) : failed(kind, action)) };
  }
}

const named = ({ slug, name, version }: InstalledItem): NamedItem => ({ slug, name, version });

const VERBS: Record<ItemAction, string> = { activate: 'Activated', deactivate: 'Deactivated', delete: 'Deleted' };

/**
 * Active already, in a way that leaves nothing to send: the child passes over itself and over must-use plugins, and switching
 * to the active theme would set off what themes do on a switch. Other items are sent whatever their state was, because what
 * is stored may be old and the call does nothing twice.
 */
const isSettled = ({ action }: Task, item: InstalledItem | undefined): boolean =>
  action === 'activate' && item?.active === true && item.protection !== null;
