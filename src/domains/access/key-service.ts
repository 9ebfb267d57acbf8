import { isDeepStrictEqual } from 'node:util';
import type { Sealing } from '../../db/sealing.ts';
import type { Caller } from '../../shared/caller.ts';
import { describeChangedObject, type ChangedObject } from '../../shared/changed-object.ts';
import { floorToSecond, SECOND, toIso } from '../../shared/clock.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Scope } from '../../shared/permissions.ts';
import type { Precondition } from '../../shared/precondition.ts';
import type { SiteLimit } from '../../shared/site-scope.ts';
import { AccessReadModel } from './access-read-model.ts';
import { checkedAddresses } from './allowed-addresses.ts';
import { grantingKeyOf, requireUser, type CredentialChanges } from './credential-changes.ts';
import {
  checkedExpiry,
  checkedLabel,
  checkedOverlap,
  checkedRateLimit,
  PRESET_LABEL,
  userNameKeyOf,
} from './credential-field-checks.ts';
import { generateApiKey, keyHintOf } from './credential-generation.ts';
import { KeyRepository, type KeyPatch } from './key-repository.ts';
import { makerOf, ownKeysOf, refuseKeyOfOthers, refuseOtherUser, refuseOwnLimit } from './own-keys.ts';
import { refuseUnlimiting } from './permission-grants.ts';
import { refusePrivilegeEscalation } from './privilege-escalation.ts';
import { checkedSiteLimit, sortedSiteLimit } from './site-limit-checks.ts';
import { UserRepository } from './user-repository.ts';
import type { ApiKey, User } from './users-and-keys.ts';

export interface NewApiKey {
  userId: number;
  label: string;
  scope: Scope;
  enabled?: boolean;
  expiresAt: number | null;
  /** Default of this and the next two fields: null. `ApiKey` explains what null means. */
  allowedAddresses?: string[] | null;
  rateLimit?: number | null;
  siteLimit?: SiteLimit | null;
}

export interface KeyChangeContext {
  /**
   * Absent if no credential makes the change, as on the command line. An API key cannot grant more than it has itself.
   */
  by?: Caller;
  force?: boolean;
  precondition?: Precondition<ApiKey> | undefined;
}

/** Methods that take the ID of an API key throw `svc_api_key_not_found`. */
export class ApiKeyService {
  readonly #changes: CredentialChanges;
  readonly #sealing: Sealing;
  readonly #readModel: AccessReadModel;
  readonly #userNamed: (name: string) => Promise<User>;

  constructor(
    changes: CredentialChanges,
    sealing: Sealing,
    readModel: AccessReadModel,
    userNamed: (name: string) => Promise<User>,
  ) {
    this.#changes = changes;
    this.#sealing = sealing;
    this.#readModel = readModel;
    this.#userNamed = userNamed;
  }

  list(request: PageRequest, by?: Caller): Promise<Page<ApiKey>> {
    return this.#readModel.keys(request, ownKeysOf(by));
  }

  get(id: number, by?: Caller): Promise<ApiKey> {
    return keyOf(this.#readModel, id, by);
  }

  /**
   * Returns the ID of the user who gets a new key: the user of the caller if `user` is missing. Throws
   * `svc_user_not_found`.
   */
  async ownerOfNew(user: number | string | undefined, by: Caller): Promise<number> {
    const isOwn =
      typeof user === 'string'
        ? userNameKeyOf(user.trim()) === userNameKeyOf(by.name)
        : (user ?? by.userId) === by.userId;
    refuseOtherUser(by, isOwn ? by.userId : null);
    if (isOwn) return by.userId;
    return typeof user === 'number' ? user : (await this.#userNamed(user ?? by.name)).id;
  }

  /** Returns the key itself as `secret`, which cannot be read again. Throws `svc_user_not_found`. */
  async create(
    wanted: NewApiKey,
    actor: string,
    { by }: Pick<KeyChangeContext, 'by'> = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const label = checkedLabel(wanted.label);
    const expiresAt = checkedExpiry(wanted.expiresAt, this.#changes.now());
    const allowedAddresses = checkedAddresses(wanted.allowedAddresses ?? null);
    const rateLimit = checkedRateLimit(wanted.rateLimit ?? null);
    const { userId, scope, enabled = true } = wanted;
    const rights = { scope, enabled, expiresAt, allowedAddresses, rateLimit };
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const granting = await grantingKeyOf(trx, by);
      refusePrivilegeEscalation(granting, rights);
      refuseOtherUser(by, userId);
      const limitedByKeyId = makerOf(by, granting);
      const user = await requireUser(new UserRepository(trx), userId);
      await this.#changes.refuseForeignUser(work, user, by);
      const secret = generateApiKey();
      const hint = keyHintOf(secret);
      const createdAt = this.#changes.now();
      const hash = this.#sealing.hash(secret);
      const row = { userId, label, hash, hint, createdAt, limitedByKeyId, ...rights };
      const id = await new KeyRepository(trx).insert(row);
      const { siteLimit = null } = wanted;
      if (siteLimit)
        await new KeyRepository(trx).update(id, { siteLimit: await checkedSiteLimit(trx, siteLimit, by?.sites) });
      const key = await keyOf(new AccessReadModel(trx), id);
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(key), null, loggedKey(key));
      await log('api_key.created', `The API key *${hint} (${scope}) was created for ${user.name}.`, thing);
      return { key, secret };
    });
  }

  /** Throws `svc_last_api_key` if this disables the last working API key, unless `force` is set. */
  edit(
    id: number,
    patch: KeyPatch,
    actor: string,
    { by, force = false, precondition }: KeyChangeContext = {},
  ): Promise<ApiKey> {
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const readModel = new AccessReadModel(trx);
      const keys = new KeyRepository(trx);
      if (patch.enabled === false && !force) await this.#refuseLastKey(keys, id);
      await keys.lock(id);
      const before = await keyOf(readModel, id, by);
      precondition?.(before);
      await this.#changes.refuseForeignUser(work, await requireUser(new UserRepository(trx), before.userId), by);
      refuseOwnLimit(by, id, patch.siteLimit);
      refuseUnlimiting(before.siteLimit, patch.siteLimit, by);
      const wanted = this.#changedFields(before, patch);
      if (Object.keys(wanted).length === 0) return before;
      refusePrivilegeEscalation(await grantingKeyOf(trx, by), { ...before, ...wanted }, before);
      if (wanted.siteLimit) wanted.siteLimit = await checkedSiteLimit(trx, wanted.siteLimit, by?.sites);
      await keys.update(id, wanted);
      const after = await keyOf(readModel, id);
      const state = after.enabled ? after.scope : 'disabled';
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(after), loggedKey(before), loggedKey(after));
      await log('api_key.edited', `The API key *${after.hint} of ${after.userName} was edited; it is ${state}.`, thing);
      return after;
    });
  }

  /**
   * Gives a key a new token, which cannot be read again. The current token works for `overlapSeconds` more. A token
   * from before the last rotation stops working now. Throws `svc_preset_api_key`.
   */
  rotate(
    id: number,
    overlapSeconds: number,
    actor: string,
    { by }: Pick<KeyChangeContext, 'by'> = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const overlap = checkedOverlap(overlapSeconds);
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const readModel = new AccessReadModel(trx);
      const keys = new KeyRepository(trx);
      await keys.lock(id);
      const before = await keyOf(readModel, id, by);
      if (before.label === PRESET_LABEL)
        throw new ConflictError(
          'svc_preset_api_key',
          'This API key is set by SITEFLEET_API_KEY. Change the variable and restart the service.',
        );
      // A disabled key is checked as if it were enabled: the caller learns the token, and the key may be enabled later.
      refusePrivilegeEscalation(await grantingKeyOf(trx, by), { ...before, enabled: true });
      await this.#changes.refuseForeignUser(work, await requireUser(new UserRepository(trx), before.userId), by);
      const secret = generateApiKey();
      const previousExpiresAt = overlap === 0 ? null : this.#changes.now() + overlap * SECOND;
      await keys.rotate(id, { hash: this.#sealing.hash(secret), hint: keyHintOf(secret), previousExpiresAt });
      const key = await keyOf(readModel, id);
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(key), loggedKey(before), loggedKey(key), [
        'token',
      ]);
      const end = previousExpiresAt === null ? 'has ended' : `works until ${toIso(previousExpiresAt)}`;
      await log(
        'api_key.rotated',
        `The API key *${before.hint} of ${key.userName} was rotated to *${key.hint}; the previous token ${end}.`,
        thing,
      );
      return { key, secret };
    });
  }

  delete(id: number, actor: string, { by, force = false, precondition }: KeyChangeContext = {}): Promise<ApiKey> {
    return this.#changes.run(actor, async (work, log) => {
      const { trx } = work;
      const keys = new KeyRepository(trx);
      if (!force) await this.#refuseLastKey(keys, id);
      await keys.lock(id);
      const key = await keyOf(new AccessReadModel(trx), id, by);
      precondition?.(key);
      await this.#changes.refuseForeignUser(work, await requireUser(new UserRepository(trx), key.userId), by);
      await keys.delete(id);
      const thing = describeChangedObject(apiKeyIdentityForChangeLog(key), loggedKey(key), null);
      await log('api_key.deleted', `The API key *${key.hint} of ${key.userName} was deleted.`, thing);
      return key;
    });
  }

  #changedFields(before: ApiKey, patch: KeyPatch): KeyPatch {
    const { label, scope, enabled, rateLimit, allowedAddresses } = patch;
    const expiresAt = patch.expiresAt && floorToSecond(patch.expiresAt);
    const siteLimit = patch.siteLimit && sortedSiteLimit(patch.siteLimit);
    const addresses = allowedAddresses === undefined ? undefined : checkedAddresses(allowedAddresses);
    return {
      ...(label === undefined || label === before.label ? {} : { label: this.#relabelled(before, label) }),
      ...(scope === undefined || scope === before.scope ? {} : { scope }),
      ...(enabled === undefined || enabled === before.enabled ? {} : { enabled }),
      ...(expiresAt === undefined || expiresAt === (before.expiresAt && floorToSecond(before.expiresAt))
        ? {}
        : { expiresAt: checkedExpiry(expiresAt, this.#changes.now()) }),
      ...(addresses === undefined || isDeepStrictEqual(addresses, before.allowedAddresses)
        ? {}
        : { allowedAddresses: addresses }),
      ...(rateLimit === undefined || rateLimit === before.rateLimit ? {} : { rateLimit: checkedRateLimit(rateLimit) }),
      ...(siteLimit === undefined || isDeepStrictEqual(siteLimit, before.siteLimit) ? {} : { siteLimit }),
    };
  }

  #relabelled(before: ApiKey, label: string): string {
    if (before.label === PRESET_LABEL)
      throwFieldError('label', 'cannot be changed, because an environment variable sets this key');
    return checkedLabel(label);
  }

  async #refuseLastKey(keys: KeyRepository, id: number): Promise<void> {
    const working = await keys.lockWorking(this.#changes.now());
    if (working.length === 1 && working[0] === id)
      throw new ConflictError('svc_last_api_key', 'This is the last working API key.');
  }
}

async function keyOf(readModel: AccessReadModel, id: number, by?: Caller): Promise<ApiKey> {
  const key = await readModel.key(id);
  refuseKeyOfOthers(by, key);
  if (!key) throw new NotFoundError('svc_api_key_not_found', 'No API key has this ID.');
  return key;
}

const apiKeyIdentityForChangeLog = ({ hint, id }: ApiKey): Pick<ChangedObject, 'name' | 'key'> => ({
  name: `*${hint}`,
  key: id,
});

const loggedKey = ({
  label,
  siteLimit,
  scope,
  enabled,
  expiresAt,
  allowedAddresses,
  rateLimit,
  userName: user,
}: ApiKey) => ({
  ...{ label, siteLimit, scope, enabled, user, allowedAddresses, rateLimit },
  expiresAt: toIso(expiresAt),
});
