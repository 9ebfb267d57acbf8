import type { Knex } from 'knex';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildRefusedError, type DomainError } from '../../shared/errors.ts';
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
    const { remover, guardFiles } = this.#deps;
    if (file.state === 'armed' && (await this.#mustRestore(file, context)))
      await attemptCall(() => guardFiles.restore(file.id, context));
    const current = await new GuardFileRepository(this.#deps.knex).find(file.id);
    return current === null || remover.remove(current, context);
  }

  /**
   * True if the file must undo the change that it guards: no run has judged the change, and WordPress does not start
   * after it.
   */
  async #mustRestore(file: StoredGuardFile, context: GuardContext): Promise<boolean> {
    const { wire, guardFiles, requestHomePage } = this.#deps;
    // The file sees a fatal error in the pages of the site only if a page is requested.
    await attemptCall(() => requestHomePage(file.siteId));
    const { value: state } = await attemptCall(() => guardFiles.state(file.id, context));
    if (!state?.armed) return false;
    if (!state.live) return true;
    const { error } = await attemptCall(() => wire.report(file.siteId, context));
    return error !== null && isNotStarted(error);
  }
}

const NOT_STARTED: ReadonlySet<string> = new Set(['site_fatal', 'aborted', 'plugin_missing']);

/**
 * True if the site was reached but WordPress did not start. If code of the site ends each request, the response has
 * status 200 and no body.
 */
const isNotStarted = (error: DomainError): boolean =>
  error instanceof ChildRefusedError ? NOT_STARTED.has(error.reason) : error.data['http_status'] === 200;
