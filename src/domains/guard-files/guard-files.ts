import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { GuardFileAnswer } from '../../connector/child-site.ts';
import type { Sealing } from '../../db/sealing.ts';
import { MINUTE, type Clock } from '../../shared/clock.ts';
import { siteDeletedError } from '../../shared/errors.ts';
import { truncate } from '../../shared/text.ts';
import {
  attemptCall,
  changeDone,
  changeFailed,
  SiteRepository,
  type ChildChanges,
  type ProvenChange,
} from '../sites/index.ts';
import type { GuardFileRemover } from './guard-file-remover.ts';
import { GuardFileRepository } from './guard-file-repository.ts';
import { guardFilePath, isGuardable } from './guard-file-source.ts';
import { keyPlace, type GuardContext, type GuardFileWire } from './guard-file-wire.ts';
import { guardUnavailable, type GuardedItem, type GuardRefusal, type StoredGuardFile } from './guard-file.ts';
import type { GuardFileSitesReadModel } from './guard-file-sites-read-model.ts';

/**
 * Time after which the schedule `guard-files` looks at a new file. It removes the file unless its job item is still
 * running, because the process of the item may have died.
 */
const FIRST_SWEEP_AFTER = MINUTE;

export interface UpdateGuardContext extends GuardContext {
  /** ID of the job item of the guarded change, null without a job. The file is removed after the item has ended. */
  itemId: number | null;
}

export interface GuardFilesDeps {
  knex: Knex;
  clock: Clock;
  sealing: Sealing;
  wire: GuardFileWire;
  remover: GuardFileRemover;
  childChanges: ChildChanges;
  allowedSites: GuardFileSitesReadModel;
  publicUrl: string;
  /** True allows sites without https. Only for tests. */
  allowHttp: boolean;
}

/**
 * Puts a temporary must-use plugin on a site, which undoes an update or an activation after a fatal error, or when
 * asked: it copies the installed version and puts it back, or deactivates the plugin. Each step is stored before it is
 * sent, so that another process can continue. Callers hold the lease of the site for updates.
 */
export class GuardFiles {
  readonly #deps: GuardFilesDeps;

  constructor(deps: GuardFilesDeps) {
    this.#deps = deps;
  }

  /**
   * Uploads the file, arms it, and returns its ID. A later attempt of the same job item continues with the same file.
   * If this throws, the file cannot undo anything, and nothing may be updated or activated.
   */
  async prepare(siteId: number, item: GuardedItem, context: UpdateGuardContext): Promise<number> {
    const known = await this.#repository.findByItem(siteId, context.itemId, item);
    // An earlier attempt failed to arm the file, so it may be unable to undo anything.
    if (known?.state === 'removing') throw guardUnavailable('not_copied');
    // In the other states, the change may have begun, and this file may have the only copy of the old version.
    if (known && known.state !== 'laying' && known.state !== 'laid') return known.id;
    const file = known ?? (await this.#begin(siteId, item, context));
    const { value: earlier } = known ? await attemptCall(() => this.#deps.wire.ask(file, 'state', context)) : NO_ANSWER;
    try {
      if (!earlier?.ok) await this.#lay(file, context);
      await this.#repository.setState(file.id, 'laid');
      await this.#arm({ ...file, state: 'laid' }, context);
      return file.id;
    } catch (error) {
      const left = await this.#repository.find(file.id);
      if (left) await this.#deps.remover.remove(left, context);
      throw error;
    }
  }

  async allowedOn(sites: readonly { id: number; url: string }[]): Promise<ReadonlySet<number>> {
    const secure = sites.filter(({ url }) => this.#isSecure(url));
    return this.#deps.allowedSites.allowedAmong(secure.map(({ id }) => id));
  }

  async find(siteId: number, item: GuardedItem, { itemId }: UpdateGuardContext): Promise<number | null> {
    return (await this.#repository.findByItem(siteId, itemId, item))?.id ?? null;
  }

  /** Returns null unless the file is armed, or has undone the change. */
  async findArmed(siteId: number, item: GuardedItem, { itemId }: UpdateGuardContext): Promise<number | null> {
    const file = await this.#repository.findByItem(siteId, itemId, item);
    return file && (file.state === 'armed' || file.state === 'restored') ? file.id : null;
  }

  async state(id: number, context: GuardContext): Promise<GuardFileAnswer> {
    const file = await this.#get(id);
    return this.#record(file, context, () => this.#deps.wire.ask(file, 'state', context));
  }

  /**
   * Makes the guard file undo the change: it puts its copy of the old version back, or deactivates the plugin. Throws
   * if it is unknown afterwards whether it has.
   */
  async restore(id: number, context: GuardContext): Promise<GuardFileAnswer> {
    const file = await this.#get(id);
    return this.#record(file, context, async () => {
      const { value, error } = await attemptCall(() => this.#deps.wire.ask(file, 'restore', context));
      if (value?.restored) return value;
      // If a proxy sent the request twice, the file may have obeyed the first and refused the second.
      const { value: state } = await attemptCall(() => this.#deps.wire.ask(file, 'state', context));
      if (!state) throw error ?? guardUnavailable('not_proven');
      return state;
    });
  }

  /** True if the file may still have the copy of the installed version. */
  async hasCopy(id: number): Promise<boolean> {
    return (await this.#repository.find(id))?.state === 'armed';
  }

  /** Removes the file and its copy. If the site does not show that the file is gone, `left` is its path. */
  async release(id: number, context: GuardContext): Promise<{ left: string | null }> {
    const file = await this.#repository.find(id);
    if (!file) return { left: null };
    const isGone = await this.#deps.remover.remove(file, context);
    return { left: isGone ? null : guardFilePath(file.guardId) };
  }

  async #begin(siteId: number, item: GuardedItem, { itemId, actor }: UpdateGuardContext): Promise<StoredGuardFile> {
    const { clock, sealing, allowedSites } = this.#deps;
    const now = clock.now();
    const site = await new SiteRepository(this.#deps.knex, now).findKeyed(siteId);
    if (!site) throw siteDeletedError();
    if (!(await allowedSites.isAllowed(siteId))) throw guardUnavailable('not_allowed');
    if (!this.#isSecure(site.url)) throw guardUnavailable('no_https');
    if (!isGuardable(item)) throw guardUnavailable('no_folder');
    const guardId = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
      publicKeyEncoding: { format: 'pem', type: 'spki' },
    });
    const sealed = sealing.seal(privateKey, keyPlace(guardId));
    const file = { ...item, guardId, siteId, itemId, name: truncate(item.name, 200), actor, privateKey: sealed };
    await this.#repository.insert({ ...file, state: 'laying' }, { now, dueAt: now + FIRST_SWEEP_AFTER });
    const stored = await this.#repository.findByGuardId(guardId, siteId);
    if (!stored) throw new Error('The guard file that was stored is missing.');
    return stored;
  }

  #isSecure(siteUrl: string): boolean {
    const { publicUrl, allowHttp } = this.#deps;
    return allowHttp || [siteUrl, publicUrl].every((url) => url.startsWith('https:'));
  }

  async #lay(file: StoredGuardFile, context: GuardContext): Promise<void> {
    const { wire, childChanges } = this.#deps;
    await childChanges.carryOut(
      { siteId: file.siteId, actor: context.actor, lease: context.lease },
      {
        send: () => wire.upload(file, context),
        read: () => wire.ask(file, 'state', context),
        judge: ({ state, callError, mayHaveRun }) => {
          if (state?.ok) return changeDone(undefined, [guardFileAddedChange(file)]);
          const refusal = guardUnavailable(refusalIn(state, 'not_proven'));
          return changeFailed(mayHaveRun ? refusal : (callError ?? refusal));
        },
      },
    );
  }

  async #arm(file: StoredGuardFile, context: GuardContext): Promise<void> {
    const { wire } = this.#deps;
    const { value } = await attemptCall(() => wire.ask(file, 'arm', context));
    // If a proxy sent the request twice, the file may have been armed by the first and have refused the second.
    const answer = value?.armed ? value : await wire.ask(file, 'state', context);
    if (!answer.armed)
      throw guardUnavailable(refusalIn(value ?? answer, file.activatedFile ? 'not_armed' : 'not_copied'));
    await this.#repository.setState(file.id, 'armed');
  }

  /** Asks the file. If the file has undone the change, this is stored and logged once. */
  async #record(
    file: StoredGuardFile,
    { actor, lease }: GuardContext,
    ask: () => Promise<GuardFileAnswer>,
  ): Promise<GuardFileAnswer> {
    const answer = await this.#deps.childChanges.carryOut(
      { siteId: file.siteId, actor, lease },
      {
        send: ask,
        stateIn: (shown) => shown,
        read: null,
        judge: ({ state, callError }) =>
          state
            ? changeDone(state, state.restored && !file.restored ? [guardFileRestoredChange(file, state.restored)] : [])
            : changeFailed(callError ?? guardUnavailable('not_proven')),
      },
    );
    if (answer.restored && !file.restored) await this.#repository.setState(file.id, 'restored', answer.restored);
    return answer;
  }

  async #get(id: number): Promise<StoredGuardFile> {
    const file = await this.#repository.find(id);
    if (!file) throw guardUnavailable('not_proven');
    return file;
  }

  get #repository(): GuardFileRepository {
    return new GuardFileRepository(this.#deps.knex);
  }
}

const NO_ANSWER = { value: null };

const REFUSALS: Readonly<Record<string, GuardRefusal>> = {
  folder_mode: 'folder_mode',
  folder_mode_removed: 'folder_mode',
  not_writable: 'not_writable',
};

const refusalIn = (answer: GuardFileAnswer | null, otherwise: GuardRefusal): GuardRefusal =>
  REFUSALS[answer?.error ?? ''] ?? otherwise;

const guardFileAddedChange = ({ guardId, kind, name, activatedFile }: StoredGuardFile): ProvenChange => ({
  type: 'guard_file.added',
  description: `Added a guard file for the ${activatedFile ? 'activation' : 'update'} of the ${kind} ${name}.`,
  thing: { name, key: guardId, after: { path: guardFilePath(guardId) } },
});

function guardFileRestoredChange(
  { guardId, kind, name, activatedFile }: StoredGuardFile,
  { cause, file, line }: NonNullable<GuardFileAnswer['restored']>,
): ProvenChange {
  const place = file === null ? '' : ` in ${truncate(file, 200)}${line === null ? '' : `:${line}`}`;
  const why = cause === 'fatal' ? `after a fatal error${place}` : 'when it was asked';
  const did = activatedFile
    ? `deactivated the ${kind} ${name}`
    : `put the previous version of the ${kind} ${name} back`;
  return {
    type: 'guard_file.restored',
    description: `The guard file ${did} ${why}.`,
    thing: { name, key: guardId, after: { cause } },
  };
}
