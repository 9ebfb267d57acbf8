import type { Knex } from 'knex';
import { combineLeases, type Lease } from '../../db/lease.ts';
import { bumpRevision } from '../../db/revisions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import type { Clock } from '../../shared/clock.ts';
import { siteDeletedError } from '../../shared/errors.ts';
import { itemErrorOf, type ItemError } from '../../shared/item-error.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import { trimmedText } from '../../shared/text.ts';
import type { ChangeLog } from '../changes/index.ts';
import { attemptCall, SiteRepository, type SiteLeases } from '../sites/index.ts';
import {
  applyUpdateRules,
  isInPinRange,
  normalizePinRange,
  VersionPinRepository,
  type PinnableType,
  type VersionPin,
} from '../updates/index.ts';
import type { AutoUpdateSwitch, SwitchContext } from './auto-update-switch.ts';
import { PinReadModel, pinNotFound, type ListedPin } from './pin-read-model.ts';

export interface PinnedItem {
  type: PinnableType;
  slug: string;
}

export interface PinFields {
  version: string;
  /** Undefined keeps the note of a pin that exists. */
  note?: string | undefined;
}

export interface PinServiceDeps {
  knex: Knex;
  clock: Clock;
  changeLog: ChangeLog;
  autoUpdates: AutoUpdateSwitch;
  /** Leases of sites for switches of automatic updates, so that no switch uses a pin that was freed meanwhile. */
  leases: SiteLeases;
}

export interface PinOrder extends PinFields {
  excluded?: string;
}

const MAX_NOTE = 500;

export function checkedPinFields<Fields extends Partial<PinFields>>(fields: Fields): Fields {
  const errors = new FieldErrors();
  const checked = { ...fields };
  if (fields.version !== undefined) {
    const version = normalizePinRange(fields.version);
    errors.require('version', version !== null, 'must be a version, or a range such as 3.x, <4 or <=3.10');
    checked.version = version ?? '';
  }
  if (fields.note !== undefined) checked.note = trimmedText(errors, 'note', fields.note, MAX_NOTE);
  errors.throwIfAny();
  return checked;
}

/**
 * Pins plugins and themes of single sites. A change of a pin, a sync, and a change of an ignore rule lock the state of
 * the site. So the flags of the updates, the counters of the site and the pins always agree.
 */
export class PinService {
  readonly #deps: PinServiceDeps;

  constructor(deps: PinServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Sets or changes the pin of an item. A pin whose range already leaves the version `excluded` out is kept as it is.
   * Throws `svc_site_not_found` if the site was deleted.
   */
  async set(siteId: number, item: PinnedItem, fields: PinOrder, actor: string, lease?: Lease): Promise<VersionPin> {
    const { knex, clock } = this.#deps;
    const now = clock.now();
    return inTransaction(knex, async ({ trx }) => {
      await lease?.lock(trx);
      const states = new SiteRepository(trx, now);
      await states.lockSyncCheckpoint(siteId);
      const site = await states.findKeyed(siteId);
      if (!site) throw siteDeletedError();
      const pins = new VersionPinRepository(trx);
      const before = await pins.find(siteId, item.type, item.slug);
      const { version, note = before?.note ?? '', excluded } = fields;
      if (before && excluded !== undefined && !isInPinRange(before.version, excluded)) return before;
      if (before) await this.#change(trx, before, { version, note }, actor);
      else {
        const name = (await new PinReadModel(trx).nameOf(siteId, item)) ?? item.slug;
        await pins.insert({ site, type: item.type, slug: item.slug, name, version, note, createdBy: actor }, now);
        await this.#apply(trx, { siteId, name, ...item }, null, { version, note }, actor);
      }
      const after = await pins.find(siteId, item.type, item.slug);
      if (!after) throw new Error('The pin that was stored is missing.');
      return after;
    });
  }

  /** Throws `svc_pin_not_found`. */
  async edit(
    scope: SiteScope,
    id: number,
    patch: Partial<PinFields>,
    actor: string,
    precondition?: Precondition<ListedPin>,
  ): Promise<ListedPin> {
    const fields = checkedPinFields(patch);
    const { knex } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const pin = await this.#locked(trx, scope, id);
      precondition?.(pin);
      await this.#change(trx, pin, { version: fields.version ?? pin.version, note: fields.note ?? pin.note }, actor);
    });
    return new PinReadModel(knex).get(scope, id);
  }

  /**
   * Removes a pin and returns it. With `autoUpdate`, the site first switches its automatic update on, if the item is
   * installed. If the site does not confirm that, throws the error and keeps the pin. Throws `svc_pin_not_found`.
   */
  async free(
    scope: SiteScope,
    id: number,
    { autoUpdate }: { autoUpdate: boolean },
    context: SwitchContext,
    precondition?: Precondition<ListedPin>,
  ): Promise<ListedPin> {
    const { knex, autoUpdates } = this.#deps;
    if (!autoUpdate) return this.#remove(scope, id, context, precondition);
    const { siteId } = await new PinReadModel(knex).get(scope, id);
    return this.#switching(siteId, context, async (leased) => {
      const known = await new PinReadModel(knex).get(scope, id);
      precondition?.(known);
      if (known.installedVersion !== null) await autoUpdates.set(known, true, leased);
      return this.#remove(scope, id, leased);
    });
  }

  async #remove(
    scope: SiteScope,
    id: number,
    context: SwitchContext,
    precondition?: Precondition<ListedPin>,
  ): Promise<ListedPin> {
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      await context.lease?.lock(trx);
      const pin = await this.#locked(trx, scope, id);
      precondition?.(pin);
      await new VersionPinRepository(trx).delete(pin.siteId, pin.type, [pin.slug]);
      await this.#apply(trx, pin, pin, null, context.actor);
      return pin;
    });
  }

  /**
   * Switches the automatic update of a pinned item off. If that fails, keeps the pin, and stores and returns the error.
   * A site is not called for an item that it does not have: some child plugins fail with a fatal error if a theme is
   * missing, and the site mails that error to its owner. Nor is it called for a pin that was freed meanwhile, because
   * the automatic update may have been switched on.
   */
  async switchOff({ id, siteId, ...known }: VersionPin, context: SwitchContext): Promise<ItemError | null> {
    return this.#switching(siteId, context, async (leased) => {
      const pin = await new VersionPinRepository(this.#deps.knex).findById(ALL_SITES, id);
      if (pin) return this.#switchOff(pin, leased);
      const { type, slug } = known;
      const freed = { code: 'svc_pin_not_found', message: 'The pin was freed before the switch.' } as const;
      return { identifier: slug, ...freed, site_id: siteId, type, slug };
    });
  }

  async #switchOff(pin: VersionPin, context: SwitchContext): Promise<ItemError | null> {
    const { knex, clock, autoUpdates } = this.#deps;
    const triedAt = clock.now();
    const { siteId: site_id, type, slug } = pin;
    const place = { site_id, type, slug };
    const isInstalled = (await new PinReadModel(knex).nameOf(site_id, pin)) !== null;
    const { error: fault } = isInstalled
      ? await attemptCall(() => autoUpdates.set(pin, false, context))
      : { error: null };
    const error = isInstalled
      ? fault && itemErrorOf(slug, fault, place)
      : { identifier: slug, ...missing(type), ...place };
    await new VersionPinRepository(knex).storeAutoUpdate(
      pin.id,
      error
        ? { state: 'pending', error: { code: error.code, message: error.message }, triedAt }
        : { state: 'off', error: null, triedAt },
    );
    return error;
  }

  #switching<T>(siteId: number, context: SwitchContext, work: (context: SwitchContext) => Promise<T>): Promise<T> {
    return this.#deps.leases.runExclusive(siteId, (siteLease) =>
      work({ ...context, lease: context.lease ? combineLeases(context.lease, siteLease) : siteLease }),
    );
  }

  async #locked(trx: Knex.Transaction, scope: SiteScope, id: number): Promise<ListedPin> {
    const stored = await new VersionPinRepository(trx).findById(scope, id);
    if (!stored) throw pinNotFound();
    await new SiteRepository(trx, this.#deps.clock.now()).lockSyncCheckpoint(stored.siteId);
    return new PinReadModel(trx).get(scope, id);
  }

  async #change(
    trx: Knex.Transaction,
    pin: VersionPin,
    after: Required<Pick<VersionPin, 'version' | 'note'>>,
    actor: string,
  ): Promise<void> {
    if (pin.version === after.version && pin.note === after.note) return;
    const now = this.#deps.clock.now();
    await new VersionPinRepository(trx).update(pin.id, after, now);
    await this.#apply(trx, pin, pin, after, actor, now);
  }

  async #apply(
    trx: Knex.Transaction,
    { siteId, type, slug, name }: Pick<VersionPin, 'siteId' | 'type' | 'slug' | 'name'>,
    before: Pick<VersionPin, 'version' | 'note'> | null,
    after: Pick<VersionPin, 'version' | 'note'> | null,
    actor: string,
    now: number = this.#deps.clock.now(),
  ): Promise<void> {
    await applyUpdateRules(trx, siteId, type, now);
    await this.#deps.changeLog.append(trx, {
      siteId,
      type: after ? 'update.pinned' : 'update.unpinned',
      description: after
        ? `The ${type} ${name} is pinned to ${after.version}.`
        : `The ${type} ${name} is no longer pinned.`,
      actor,
      thing: describeChangedObject({ name, key: slug }, before && loggedPin(before), after && loggedPin(after)),
    });
    await bumpRevision(trx, 'updates');
  }
}

export const missing = (type: PinnableType) => ({
  code: ({ plugin: 'svc_plugin_not_found', theme: 'svc_theme_not_found' } as const)[type],
  message: `The site has no such ${type}.`,
});

const loggedPin = ({ version, note }: Pick<VersionPin, 'version' | 'note'>) => ({ version, note });
