import type { UpdateCalls } from '../../connector/child-site.ts';
import type { Lease } from '../../db/lease.ts';
import { changeDone, changeFailed, type ChildChanges, type SiteCalls } from '../sites/index.ts';
import type { VersionPin } from '../updates/index.ts';

export interface SwitchContext {
  actor: string;
  oneOfMany?: boolean;
  lease?: Lease;
}

export interface AutoUpdateSwitchDeps {
  child: UpdateCalls;
  calls: SiteCalls;
  childChanges: ChildChanges;
}

/**
 * Switches the automatic updates of a plugin or theme. WordPress installs these updates by itself and would ignore a
 * pin. Only the response to the call confirms the switch: no report of a site shows its state.
 */
export class AutoUpdateSwitch {
  readonly #deps: AutoUpdateSwitchDeps;

  constructor(deps: AutoUpdateSwitchDeps) {
    this.#deps = deps;
  }

  /** Throws the error of the call. Also calls a site that has the wanted state: only a response proves the state. */
  async set(
    { siteId, type, slug, name }: Pick<VersionPin, 'siteId' | 'type' | 'slug' | 'name'>,
    on: boolean,
    { actor, oneOfMany, lease }: SwitchContext,
  ): Promise<void> {
    const { child, calls, childChanges } = this.#deps;
    const [word, now] = on ? ['enabled', 'on'] : ['disabled', 'off'];
    const proven = {
      type: `${type}.auto_updates_${word}`,
      description: `Switched the site's automatic updates of the ${type} ${name} ${now}.`,
      thing: { name, key: slug, after: { auto_updates: now } },
    };
    await calls.run(
      siteId,
      (link) =>
        childChanges.carryOut(
          { siteId, actor, lease },
          {
            send: () => child.switchAutoUpdate(link, { type, slug }, on),
            read: null,
            judge: ({ callError }) => (callError ? changeFailed(callError) : changeDone(undefined, [proven])),
          },
        ),
      { ...(oneOfMany !== undefined && { oneOfMany }), lease },
    );
  }
}
