import type { Knex } from 'knex';
import type { GuardFileAnswer } from '../../connector/child-site.ts';
import { inTransaction } from '../../db/transaction.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import type { MailServices } from '../mail/index.ts';
import {
  attemptCall,
  changeDone,
  changeFailed,
  readSiteNames,
  type ChildChanges,
  type ProvenChange,
} from '../sites/index.ts';
import { GuardFileRepository } from './guard-file-repository.ts';
import { guardFilePath } from './guard-file-source.ts';
import type { GuardContext, GuardFileWire } from './guard-file-wire.ts';
import type { StoredGuardFile } from './guard-file.ts';
import { GuardLeftRepository } from './guard-left-repository.ts';

/** Number of failed attempts after which an alert reports the file. The third attempt comes after three minutes. */
const TOLD_AFTER = 3;
const LONGEST_PAUSE = 60 * MINUTE;

export interface GuardFileRemoverDeps {
  knex: Knex;
  clock: Clock;
  wire: GuardFileWire;
  childChanges: ChildChanges;
  alerts: MailServices['alerts'];
}

export class GuardFileRemover {
  readonly #deps: GuardFileRemoverDeps;

  constructor(deps: GuardFileRemoverDeps) {
    this.#deps = deps;
  }

  /** Returns true if the file is gone. If not, the schedule tries again, and the third failure raises an alert. */
  async remove(file: StoredGuardFile, context: GuardContext): Promise<boolean> {
    const { knex } = this.#deps;
    const repository = new GuardFileRepository(knex);
    const isKnown = file.privateKey !== null;
    const isProven = file.state !== 'laying' && isKnown;
    if (isProven) await repository.setState(file.id, 'removing');
    const { error } = await attemptCall(() => this.#remove(file, { isKnown, isProven }, context));
    if (error) await this.postpone(file);
    return error === null;
  }

  async #forget({ id, siteId }: StoredGuardFile): Promise<void> {
    await inTransaction(this.#deps.knex, async ({ trx }) => {
      await new GuardFileRepository(trx).delete(id);
      await new GuardLeftRepository(trx).refresh(siteId);
    });
  }

  async #remove(
    file: StoredGuardFile,
    { isKnown, isProven }: { isKnown: boolean; isProven: boolean },
    context: GuardContext,
  ): Promise<void> {
    const { wire, childChanges } = this.#deps;
    const { siteId, guardId } = file;
    const stillThere = (): ChildBadAnswerError =>
      new ChildBadAnswerError('The site still has the guard file.', { outcome: 'open' });
    await childChanges.carryOut(
      { siteId, actor: context.actor, lease: context.lease },
      {
        send: async (): Promise<GuardFileAnswer | null> => {
          if (!isKnown) return null;
          const { value } = await attemptCall(() => wire.ask(file, 'remove', context));
          if (!value && !isProven) await wire.deleteByChild(file, context);
          return value;
        },
        read: () => wire.report(siteId, context),
        judge: ({ state, callError, readError }) => {
          if (!state?.guardFiles) return changeFailed(callError ?? readError ?? stillThere());
          if (state.guardFiles.includes(guardId)) return changeFailed(stillThere());
          return changeDone(undefined, isProven ? [removedChange(file)] : []);
        },
      },
    );
    await this.#forget(file);
  }

  /** Makes the schedule try again later. After some attempts, raises an alert. */
  async postpone(file: StoredGuardFile): Promise<void> {
    const { knex, clock, alerts } = this.#deps;
    const now = clock.now();
    const attempts = file.attempts + 1;
    await inTransaction(knex, async ({ trx }) => {
      const repository = new GuardFileRepository(trx);
      await repository.postpone(file.id, {
        attempts,
        dueAt: now + Math.min(MINUTE * 2 ** (attempts - 1), LONGEST_PAUSE),
      });
      if (attempts < TOLD_AFTER || file.leftSince !== null) return;
      await repository.markLeft(file.id, now);
      await new GuardLeftRepository(trx).refresh(file.siteId);
      const site = (await readSiteNames(trx, [file.siteId])).get(file.siteId);
      if (!site) return;
      await alerts.raise(trx, {
        type: 'guard_file_left',
        key: `guard_file_left:${file.guardId}:${file.siteId}`,
        site: { id: file.siteId, url: site.url, name: site.name },
        facts: { path: guardFilePath(file.guardId), item: file.name, since: now },
      });
    });
  }
}

const removedChange = ({ guardId, kind, name }: StoredGuardFile): ProvenChange => ({
  type: 'guard_file.removed',
  description: `Removed the guard file of the ${kind} ${name}.`,
  thing: { name, key: guardId, before: { path: guardFilePath(guardId) } },
});
