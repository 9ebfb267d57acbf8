import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Knex } from 'knex';
import {
  GUARD_FILE_FOLDER,
  guardFileName,
  type ChildStats,
  type GuardFileAction,
  type GuardFileAnswer,
  type GuardFileCalls,
  type SyncCalls,
} from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import type { Sealing } from '../../db/sealing.ts';
import type { Clock } from '../../shared/clock.ts';
import type { PackagesServices } from '../packages/index.ts';
import { attemptCall, type SiteCalls, type SyncService } from '../sites/index.ts';
import { guardFileSource } from './guard-file-source.ts';
import type { StoredGuardFile } from './guard-file.ts';
import { GuardFileRepository } from './guard-file-repository.ts';

export interface GuardContext {
  actor: string;
  lease?: Lease | undefined;
  /** True if the job has other sites. */
  oneOfMany?: boolean;
}

export interface GuardFileWireDeps {
  knex: Knex;
  clock: Clock;
  sealing: Sealing;
  child: GuardFileCalls & SyncCalls;
  calls: SiteCalls;
  sync: Pick<SyncService, 'request'>;
  delivery: PackagesServices['delivery'];
}

export const keyPlace = (guardId: string): string => `guard_files.private_key:${guardId}`;

export class GuardFileWire {
  readonly #deps: GuardFileWireDeps;

  constructor(deps: GuardFileWireDeps) {
    this.#deps = deps;
  }

  /** Makes the site download the file. */
  async upload(file: StoredGuardFile, context: GuardContext): Promise<void> {
    const publicKey = rawPublicKey(createPrivateKey(this.#privateKey(file)));
    const { guardId, siteId } = file;
    const address = await this.#deps.delivery.issueText(siteId, guardFileSource({ ...file, publicKey }));
    try {
      await this.#upload(file, address, guardFileName(guardId).replace(/\.php$/, '.phpfile.txt'), context);
    } finally {
      await this.#deps.delivery.end(address);
    }
  }

  /**
   * Makes the child plugin delete a file that does not answer. For this, the site is asked for a download that must
   * fail: the child plugin then deletes the file at the path of the download.
   */
  async deleteByChild(file: StoredGuardFile, context: GuardContext): Promise<void> {
    const address = await this.#deps.delivery.issueText(file.siteId, '');
    await this.#deps.delivery.end(address);
    await attemptCall(() => this.#upload(file, address, guardFileName(file.guardId), context));
  }

  /** Sends a request to the file. Its sequence number is stored first, so that no process uses the number again. */
  async ask(file: StoredGuardFile, action: GuardFileAction, context: GuardContext): Promise<GuardFileAnswer> {
    const { knex, clock, child } = this.#deps;
    const privateKeyPem = this.#privateKey(file);
    const sequence = await new GuardFileRepository(knex).nextSequence(file.id, clock.now());
    const request = { guardId: file.guardId, action, sequence, privateKeyPem };
    return this.#deps.calls.run(file.siteId, (link) => child.askGuardFile(link, request), optionsOf(context));
  }

  async report(siteId: number, context: GuardContext): Promise<ChildStats> {
    const { calls, child, sync } = this.#deps;
    return calls.run(siteId, async (link) => child.stats(link, await sync.request(siteId)), optionsOf(context));
  }

  async #upload(
    { siteId }: StoredGuardFile,
    { url, token: secret }: { url: string; token: string },
    name: string,
    context: GuardContext,
  ): Promise<void> {
    const upload = { url, secret, folder: GUARD_FILE_FOLDER, name };
    await this.#deps.calls.run(siteId, (link) => this.#deps.child.uploadFile(link, upload), optionsOf(context));
  }

  #privateKey({ guardId, privateKey }: StoredGuardFile): string {
    if (privateKey === null) throw new Error('The key of this guard file is not known.');
    return this.#deps.sealing.open(privateKey, keyPlace(guardId));
  }
}

const optionsOf = ({ lease, oneOfMany = false }: GuardContext) => ({ oneOfMany, lease });

/** In DER, the binary format of keys, the last 32 bytes are the key itself. */
const rawPublicKey = (privateKey: KeyObject): string =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
