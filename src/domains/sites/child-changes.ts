import type { Knex } from 'knex';
import type { Lease } from '../../db/lease.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Change } from '../../shared/change.ts';
import type { DomainError } from '../../shared/errors.ts';
import type { ChangeRecorder } from './ports.ts';
import { readState, sendAndVerify, type VerifiableChange, type VerifiedChange } from './verified-change.ts';

export interface ChangeContext {
  siteId: number;
  actor: string;
  /** Lease of the work that makes the change. If the lease is lost, no entry is stored in the change log. */
  lease?: Lease | undefined;
  /** Position of the change log. A change that already has an entry after this position gets no second one. */
  loggedBehind?: number | undefined;
}

export type ProvenChange = Omit<Change, 'siteId' | 'actor'>;

export type Judgement<Result> = { proven: readonly ProvenChange[] } & (
  | { result: Result; error: null }
  | { error: DomainError }
);

export const changeDone = <Result>(result: Result, proven: readonly ProvenChange[]): Judgement<Result> => ({
  result,
  proven,
  error: null,
});

/** `proven` contains the parts of the change that the site shows although the whole has failed. */
export const changeFailed = (error: DomainError, proven: readonly ProvenChange[] = []): Judgement<never> => ({
  error,
  proven,
});

export interface JudgedChange<Answer, State, Result> extends VerifiableChange<Answer, State> {
  judge: (change: VerifiedChange<Answer, State>) => Judgement<Result>;
}

/**
 * Makes changes on sites: sends the change, reads the state back, judges it, and then logs what is proven. Other code
 * does not log actions on a site, so the change log contains only what a site has shown. Update runs are the exception:
 * they store their entries together with their outcome.
 */
export class ChildChanges {
  readonly #knex: Knex;
  readonly #changes: ChangeRecorder;

  constructor({ knex, changes }: { knex: Knex; changes: ChangeRecorder }) {
    this.#knex = knex;
    this.#changes = changes;
  }

  async carryOut<Answer, State, Result>(
    context: ChangeContext,
    change: JudgedChange<Answer, State, Result>,
  ): Promise<Result> {
    return this.#conclude(context, change.judge(await sendAndVerify(change)));
  }

  logPosition(): Promise<number> {
    return this.#changes.position(this.#knex);
  }

  async lookAgain<State, Result>(
    context: ChangeContext,
    { read, judge }: Pick<JudgedChange<never, State, Result>, 'read' | 'judge'>,
  ): Promise<Result> {
    const sent = { answer: null, callError: null, mayHaveRun: true, mayStillRun: true };
    return this.#conclude(context, judge({ ...sent, ...(await readState(read, null)) }));
  }

  async #conclude<Result>(context: ChangeContext, judgement: Judgement<Result>): Promise<Result> {
    const { siteId, actor, lease, loggedBehind } = context;
    const { proven, error } = judgement;
    const changes = proven.map((change) => ({ siteId, actor, ...change }));
    if (proven.length > 0)
      await inTransaction(this.#knex, async ({ trx }) => {
        await lease?.lock(trx);
        const unlogged =
          loggedBehind === undefined ? changes : await this.#changes.withoutLogged(trx, siteId, changes, loggedBehind);
        if (unlogged.length > 0) await this.#changes.append(trx, ...unlogged);
      });
    if (error) throw error;
    return judgement.result;
  }
}
