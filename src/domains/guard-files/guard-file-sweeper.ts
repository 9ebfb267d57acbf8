import type { Knex } from 'knex';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildRefusedError } from '../../shared/child-call-errors.ts';
import type { DomainError } from '../../shared/errors.ts';
import { attemptCall, isSiteLeased } from '../sites/index.ts';
import type { GuardFileRemover } from './guard-file-remover.ts';
import { GuardFileRepository } from './guard-file-repository.ts';
import type { GuardContext, GuardFileWire } from './guard-file-wire.ts';
import type { StoredGuardFile } from './guard-file.ts';
import type { GuardFiles } from './guard-files.ts';

const OWNED_PAUSE = MINUTE;

export interface GuardFileSweeperDeps {
  knex: Knex;
  clock: Clock;
  wire: GuardFileWire;
  remover: GuardFileRemover;
  guardFiles: GuardFiles;
  /** Requests the home page so that no page cache can answer. */
  requestHomePage: (siteId: number) => Promise<unknown>;
}

/** Removes guard files of updates and activations that have ended without removing their files. */
export class GuardFileSweeper {
  readonly #deps: GuardFileSweeperDeps;

  constructor(deps: GuardFileSweeperDeps) {
    this.#deps = deps;
  }

  async sweep(siteId: number, context: GuardContext): Promise<number> {
    const { knex, clock } = this.#deps;
    const repository = new GuardFileRepository(knex);
    let gone = 0;
    for (const { file, isOwned } of await repository.dueOfSite(siteId, clock.now())) {
      // While a job item waits for the next check of its site, nobody knows yet whether the change was good.
      const mayWait = isOwned && file.state !== 'removing';
      if (mayWait) await repository.postpone(file.id, { attempts: file.attempts, dueAt: clock.now() + OWNED_PAUSE });
      else gone += Number(await this.#end(file, { ...context, actor: file.actor }));
    }
    return gone;
  }

  isUpdating(siteId: number): Promise<boolean> {
    return isSiteLeased(this.#deps.knex, this.#deps.clock, siteId, 'update');
  }

  async #end(file: StoredGuardFile, context: GuardContext): Promise<boolean> {
    const { remover } = this.#deps;
    if (file.state === 'armed' && !(await this.#isCopyUnneeded(file, context))) {
      await remover.postpone(file);
      return false;
    }
    const current = await new GuardFileRepository(this.#deps.knex).find(file.id);
    return current === null || remover.remove(current, context);
  }

  /**
   * True if WordPress starts after the change that the file guards, or the change was undone. If WordPress does not
   * start, asks the file to undo the change.
   */
  async #isCopyUnneeded(file: StoredGuardFile, context: GuardContext): Promise<boolean> {
    const { wire, guardFiles, requestHomePage } = this.#deps;
    // The file sees a fatal error in the pages of the site only if a page is requested.
    await attemptCall(() => requestHomePage(file.siteId));
    const { value: state } = await attemptCall(() => guardFiles.state(file.id, context));
    if (state && !state.armed) return true;
    if (!state || state.live) {
      const { error } = await attemptCall(() => wire.report(file.siteId, context));
      if (!error) return true;
      if (!state || !isNotStarted(error, file)) return false;
    }
    const { value } = await attemptCall(() => guardFiles.restore(file.id, context));
    return (value?.restored ?? null) !== null;
  }
}

const NOT_STARTED: ReadonlySet<string> = new Set(['site_fatal', 'aborted', 'plugin_missing']);
/** PHP crashed or did not end. An overloaded server answers in the same way, so a single response proves nothing. */
const UNSURE: ReadonlySet<string> = new Set(['bad_gateway', 'gateway_timeout']);

/**
 * True if the site was reached but WordPress did not start. If code of the site ends each request, the response has
 * status 200 and no body.
 */
const isNotStarted = (error: DomainError, { attempts }: StoredGuardFile): boolean =>
  error instanceof ChildRefusedError
    ? NOT_STARTED.has(error.reason) || (UNSURE.has(error.reason) && attempts > 0)
    : error.data['http_status'] === 200;
