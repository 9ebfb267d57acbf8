import type { Sealing } from '../../db/sealing.ts';
import type { TransactionScope as Work } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { ADMINISTRATOR } from '../../shared/permissions.ts';
import type { ChangeLog } from '../changes/index.ts';
import { keyHintOf, generateApiKey, generateApplicationPassword, withoutBlanks } from './credential-generation.ts';
import { KeyRepository } from './key-repository.ts';
import { PasswordRepository } from './password-repository.ts';
import { checkedUserName, PRESET_LABEL } from './credential-field-checks.ts';
import { builtInRole } from './roles.ts';
import type { User } from './users-and-keys.ts';
import { UserRepository } from './user-repository.ts';

export interface PresetCredentials {
  adminUser: string;
  adminPassword: string | null;
  apiKey: string | null;
}

export interface FirstCredentials {
  user: string;
  password: string | null;
  apiKey: string | null;
}

const FIRST_LABEL = 'first start';
const ACTOR = 'system';

/**
 * Makes sure that an administrator can log in. Creates credentials if there are no users, and stores the preset ones,
 * which environment variables set. A changed preset replaces the previous one. If an operator has changed a preset
 * credential, for example disabled it, that change is kept.
 */
export class FirstCredentialsSetup {
  readonly #work: Work;
  readonly #sealing: Sealing;
  readonly #clock: Clock;
  readonly #changeLog: ChangeLog;
  readonly #users: UserRepository;
  readonly #passwords: PasswordRepository;
  readonly #keys: KeyRepository;

  constructor(work: Work, sealing: Sealing, clock: Clock, changeLog: ChangeLog) {
    this.#work = work;
    this.#sealing = sealing;
    this.#clock = clock;
    this.#changeLog = changeLog;
    this.#users = new UserRepository(work.trx);
    this.#passwords = new PasswordRepository(work.trx);
    this.#keys = new KeyRepository(work.trx);
  }

  async ensure(preset: PresetCredentials): Promise<FirstCredentials | null> {
    const first = !(await this.#users.any());
    if (!first && preset.adminPassword === null && preset.apiKey === null) return null;
    const name = checkedUserName(preset.adminUser);
    const user = (await this.#users.findByName(name)) ?? (await this.#createAdministrator(name));
    if (preset.adminPassword !== null) await this.#presetPassword(user, withoutBlanks(preset.adminPassword));
    if (preset.apiKey !== null) await this.#presetKey(user, preset.apiKey.trim());
    if (!first || (preset.adminPassword !== null && preset.apiKey !== null)) return null;
    return {
      user: user.name,
      password: preset.adminPassword === null ? await this.#newPassword(user) : null,
      apiKey: preset.apiKey === null ? await this.#newKey(user) : null,
    };
  }

  async #createAdministrator(name: string): Promise<User> {
    const createdAt = this.#clock.now();
    const user = await this.#users.insert({ name, role: builtInRole(ADMINISTRATOR), enabled: true, createdAt });
    await this.#log(user, 'user.created', `The administrator ${name} was created.`);
    return user;
  }

  async #newPassword(user: User): Promise<string> {
    const password = generateApplicationPassword();
    await this.#insertPassword(user, this.#sealing.hash(password), FIRST_LABEL);
    return password;
  }

  async #newKey(user: User): Promise<string> {
    const key = generateApiKey();
    await this.#insertKey(user, key, FIRST_LABEL);
    return key;
  }

  async #presetPassword(user: User, password: string): Promise<void> {
    const hash = this.#sealing.hash(password);
    await this.#passwords.deleteLabelled(PRESET_LABEL, hash);
    const known = await this.#passwords.findByHash(hash);
    if (known?.userId === user.id && known.label === PRESET_LABEL) return;
    // Hashes are unique. If the preset equals an existing password, the row of that password becomes the preset.
    if (known) await this.#passwords.assign(known.id, user.id, PRESET_LABEL);
    else await this.#insertPassword(user, hash, PRESET_LABEL);
    await this.#log(user, 'user.password_preset', `The preset application password was set for ${user.name}.`);
  }

  async #presetKey(user: User, key: string): Promise<void> {
    const hash = this.#sealing.hash(key);
    await this.#keys.deleteLabelled(PRESET_LABEL, hash);
    // A token must not belong to two keys. If a rotated key still has this token as its previous one, it loses it now.
    await this.#keys.endPreviousToken(hash);
    const known = await this.#keys.findByHash(hash);
    if (known?.userId === user.id && known.label === PRESET_LABEL) return;
    if (known) {
      await this.#keys.assign(known.id, user.id);
      await this.#keys.update(known.id, { label: PRESET_LABEL, scope: 'read_write' });
    } else await this.#insertKey(user, key, PRESET_LABEL);
    await this.#log(user, 'api_key.preset', `The preset API key *${keyHintOf(key)} was set for ${user.name}.`);
  }

  async #insertPassword(user: User, hash: string, label: string): Promise<void> {
    await this.#passwords.insert({ userId: user.id, label, hash, createdAt: this.#clock.now() });
  }

  async #insertKey(user: User, key: string, label: string): Promise<void> {
    await this.#keys.insert({
      userId: user.id,
      label,
      hash: this.#sealing.hash(key),
      hint: keyHintOf(key),
      scope: 'read_write',
      expiresAt: null,
      createdAt: this.#clock.now(),
    });
  }

  /** Logs values only for a new user, because the values of credentials are secret. */
  async #log({ name, id, role }: User, type: string, description: string): Promise<void> {
    const thing = describeChangedObject({ name, key: id }, null, type === 'user.created' ? { name, role } : null);
    await this.#changeLog.append(this.#work.trx, { siteId: null, type, description, actor: ACTOR, thing });
  }
}
