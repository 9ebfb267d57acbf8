import type { GuardFileAnswer } from '../../connector/child-site.ts';
import { SECOND } from '../../shared/clock.ts';
import type { Remainder } from '../../shared/item-error.ts';
import { attemptCall } from '../sites/index.ts';
import { toPhpError, type SelfRestored } from '../updates/index.ts';
import type { GuardedItem } from './guard-file.ts';
import type { GuardFiles, UpdateGuardContext } from './guard-files.ts';

/** Plugin that is activated. `item` is its main file, below its folder. */
export interface ActivatedPlugin {
  item: string;
  name: string;
}

/** Deactivation by the guard file. `error` is null if the service asked for it. */
export interface GuardedDeactivation {
  error: Omit<SelfRestored, 'agoMs'> | null;
  /** Milliseconds since the deactivation, by the clock of the site. Null if the site does not say it. */
  agoMs: number | null;
}

/** Guards the activation of a plugin with a file on the site, which works even if the child plugin does not. */
export class ActivationGuard {
  readonly #guardFiles: GuardFiles;
  readonly #site: { id: number; url: string };
  readonly #item: GuardedItem;
  readonly #context: UpdateGuardContext;

  constructor(
    guardFiles: GuardFiles,
    site: { id: number; url: string },
    { item, name }: ActivatedPlugin,
    context: UpdateGuardContext,
  ) {
    this.#guardFiles = guardFiles;
    this.#site = site;
    const folder = item.slice(0, Math.max(0, item.indexOf('/')));
    this.#item = { kind: 'plugin', folder, name: name || item, activatedFile: item };
    this.#context = context;
  }

  async isAllowed(): Promise<boolean> {
    return (await this.#guardFiles.allowedOn([this.#site])).has(this.#site.id);
  }

  async prepare(): Promise<void> {
    await this.#guardFiles.prepare(this.#site.id, this.#item, this.#context);
  }

  /** `isKnown` is false if there is an armed file that does not answer. */
  async look(): Promise<{ isKnown: boolean; deactivation: GuardedDeactivation | null }> {
    const id = await this.#guardFiles.findArmed(this.#site.id, this.#item, this.#context);
    if (id === null) return { isKnown: true, deactivation: null };
    const { value } = await attemptCall(() => this.#guardFiles.state(id, this.#context));
    return { isKnown: value !== null, deactivation: value && deactivationIn(value) };
  }

  /** Makes the file deactivate the plugin. Returns null if there is no armed file, or if it does not prove that. */
  async deactivate(): Promise<GuardedDeactivation | null> {
    const id = await this.#guardFiles.findArmed(this.#site.id, this.#item, this.#context);
    if (id === null) return null;
    const { value } = await attemptCall(() => this.#guardFiles.restore(id, this.#context));
    return value && deactivationIn(value);
  }

  /** Removes the file. Returns what could not be removed. */
  async release(): Promise<readonly Remainder[]> {
    const id = await this.#guardFiles.find(this.#site.id, this.#item, this.#context);
    const { left } = id === null ? { left: null } : await this.#guardFiles.release(id, this.#context);
    return left === null ? [] : ['guard_file'];
  }
}

function deactivationIn({ restored, now }: GuardFileAnswer): GuardedDeactivation | null {
  if (!restored) return null;
  const { cause, message, file, line, at } = restored;
  return {
    error: cause === 'fatal' ? toPhpError({ message: message ?? '', file, line }) : null,
    agoMs: now === null ? null : Math.max(0, now - at) * SECOND,
  };
}
