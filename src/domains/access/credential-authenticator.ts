import { equalInConstantTime, type Sealing } from '../../db/sealing.ts';
import type { Caller } from '../../shared/caller.ts';
import { isRecent, MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import { permissionsInScope } from '../../shared/permissions.ts';
import type { AccessReadModel, Credential } from './access-read-model.ts';
import { withoutBlanks } from './credential-generation.ts';
import { includesAddress, parseNetworks, type Network } from './allowed-addresses.ts';
import type { KeyRepository } from './key-repository.ts';
import type { PasswordRepository } from './password-repository.ts';
import { userNameKeyOf } from './credential-field-checks.ts';

interface CachedCredential {
  kind: CredentialKind;
  credential: Credential;
  caller: Caller;
  since: number;
}

type CredentialKind = 'password' | 'key';

interface CallerLimits {
  kept: CachedCredential;
  networks: readonly Network[] | null;
}

const GOOD_FOR = 5 * SECOND;
const STAMP_EVERY = MINUTE;

/**
 * Authenticates callers. Successful checks are cached for five seconds by keyed hash, so a busy caller does not cost
 * one SQL statement per call. A change by this process clears the cache; a change by another process takes effect
 * within five seconds. Failures are never cached.
 */
export class CredentialAuthenticator {
  static readonly MAX_CACHED = 10_000;
  readonly #sealing: Sealing;
  readonly #clock: Clock;
  readonly #readModel: AccessReadModel;
  readonly #repositories: Record<CredentialKind, PasswordRepository | KeyRepository>;
  #cache = new Map<string, CachedCredential>();
  #loading = new Map<string, Promise<CachedCredential | null>>();
  #byCaller = new WeakMap<Caller, CachedCredential>();
  /** Limits of each caller. A call that is already authenticated still needs them, so `clearCache` keeps them. */
  readonly #limits = new WeakMap<Caller, CallerLimits>();
  readonly #pendingWrites = new Set<Promise<void>>();

  constructor(
    sealing: Sealing,
    clock: Clock,
    readModel: AccessReadModel,
    passwords: PasswordRepository,
    keys: KeyRepository,
  ) {
    this.#sealing = sealing;
    this.#clock = clock;
    this.#readModel = readModel;
    this.#repositories = { password: passwords, key: keys };
  }

  async byPassword(user: string, password: string): Promise<Caller | null> {
    const bare = withoutBlanks(password);
    const kept = bare === '' ? null : await this.#find('password', this.#sealing.hash(bare));
    if (!kept || !equalInConstantTime(userNameKeyOf(user.trim()), kept.credential.nameKey)) return null;
    this.#recordUse(kept);
    return kept.caller;
  }

  async byKey(key: string): Promise<Caller | null> {
    const kept = key === '' ? null : await this.#find('key', this.#sealing.hash(key));
    if (!kept || this.#isExpired(kept)) return null;
    this.#recordUseUnlessLimited(kept);
    return kept.caller;
  }

  /**
   * True if the credential of `caller` is still cached and not expired. `caller` is an object that this class returned.
   * Records the use, unless the credential has allowed addresses.
   */
  isStillAllowed(caller: Caller): boolean {
    const kept = this.#byCaller.get(caller);
    if (!kept || !isRecent(kept.since, this.#clock.now(), GOOD_FOR) || this.#isExpired(kept)) return false;
    this.#recordUseUnlessLimited(kept);
    return true;
  }

  /**
   * True if the credential of `caller` may be used from this address. `caller` is an object that this class returned.
   * Records the use of a credential that has allowed addresses.
   */
  allowsAddress(caller: Caller, address: string): boolean {
    const limits = this.#limits.get(caller);
    if (!limits?.networks) return limits !== undefined;
    if (!includesAddress(limits.networks, address)) return false;
    this.#recordUse(limits.kept);
    return true;
  }

  callsPerMinute(caller: Caller): number | null {
    return this.#limits.get(caller)?.kept.credential.rateLimit ?? null;
  }

  /** Drops all cached credentials. A running lookup still returns its result but does not cache it. */
  clearCache(): void {
    this.#cache = new Map();
    this.#loading = new Map();
    this.#byCaller = new WeakMap();
  }

  async waitForWrites(): Promise<void> {
    await Promise.all(this.#pendingWrites);
  }

  async #find(kind: CredentialKind, hash: string): Promise<CachedCredential | null> {
    const place = `${kind}:${hash}`;
    const kept = this.#cache.get(place);
    if (kept && isRecent(kept.since, this.#clock.now(), GOOD_FOR)) return kept;
    const loading = this.#loading.get(place) ?? this.#load(kind, hash, place);
    return loading;
  }

  #load(kind: CredentialKind, hash: string, place: string): Promise<CachedCredential | null> {
    const mine = this.#loading;
    const since = this.#clock.now();
    const load = async (): Promise<CachedCredential | null> => {
      try {
        const credential = await (kind === 'key'
          ? this.#readModel.keyByHash(hash, since)
          : this.#readModel.passwordByHash(hash, since));
        const kept = credential && { kind, credential, caller: toCaller(kind, credential), since };
        if (kept) this.#limits.set(kept.caller, { kept, networks: networksOf(kept.credential) });
        if (mine === this.#loading) this.#addToCache(place, kept);
        return kept;
      } finally {
        mine.delete(place);
      }
    };
    const loading = load();
    mine.set(place, loading);
    return loading;
  }

  #addToCache(place: string, kept: CachedCredential | null): void {
    this.#cache.delete(place);
    if (!kept) return;
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size < CredentialAuthenticator.MAX_CACHED) break;
      this.#cache.delete(oldest);
    }
    this.#cache.set(place, kept);
    this.#byCaller.set(kept.caller, kept);
  }

  #isExpired({ credential: { expiresAt } }: CachedCredential): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.now();
  }

  /**
   * Records the use now, unless the credential has allowed addresses. Then `allowsAddress` records it, because a call
   * from another address is refused and does not count as use.
   */
  #recordUseUnlessLimited(kept: CachedCredential): void {
    if (kept.credential.allowedAddresses === null) this.#recordUse(kept);
  }

  /** Stores the time of use in the background: a failed update must not reject the caller. */
  #recordUse({ kind, credential }: CachedCredential): void {
    const now = this.#clock.now();
    if (credential.lastUsedAt !== null && now - credential.lastUsedAt < STAMP_EVERY) return;
    credential.lastUsedAt = now;
    const stamping: Promise<void> = this.#repositories[kind]
      .stamp(credential.id, now, now - STAMP_EVERY)
      .catch(() => undefined)
      .finally(() => this.#pendingWrites.delete(stamping));
    this.#pendingWrites.add(stamping);
  }
}

const toCaller = (
  kind: CredentialKind,
  { id, userId, name, role, rolePermissions, scope, sites }: Credential,
): Caller =>
  Object.freeze({
    ...{ userId, name, role, scope, credential: `${kind}:${id}`, keyId: kind === 'key' ? id : null },
    permissions: permissionsInScope(rolePermissions, scope),
    sites,
  });

const networksOf = ({ allowedAddresses }: Credential): Network[] | null =>
  allowedAddresses && parseNetworks(allowedAddresses);
