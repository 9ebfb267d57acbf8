import { equalInConstantTime, type Sealing } from '../../db/sealing.ts';
import type { Caller } from '../../shared/caller.ts';
import { isRecent, MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import type { AccessReadModel, Credential } from './access-read-model.ts';
import { withoutBlanks } from './credential-generation.ts';
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
    this.#recordUse(kept);
    return kept.caller;
  }

  /** True if the credential of a returned caller is still in the cache. Records its use. */
  isStillAllowed(caller: Caller): boolean {
    const kept = this.#byCaller.get(caller);
    if (!kept || !isRecent(kept.since, this.#clock.now(), GOOD_FOR) || this.#isExpired(kept)) return false;
    this.#recordUse(kept);
    return true;
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

  /** Loads a credential. Runs one SQL statement for all concurrent lookups of the same credential. */
  #load(kind: CredentialKind, hash: string, place: string): Promise<CachedCredential | null> {
    const mine = this.#loading;
    const since = this.#clock.now();
    const load = async (): Promise<CachedCredential | null> => {
      try {
        const credential = await (kind === 'key'
          ? this.#readModel.keyByHash(hash)
          : this.#readModel.passwordByHash(hash));
        const kept = credential && { kind, credential, caller: toCaller(kind, credential), since };
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

const toCaller = (kind: CredentialKind, { id, userId, name, role, scope }: Credential): Caller =>
  Object.freeze({ userId, name, role, scope, credential: `${kind}:${id}` });
