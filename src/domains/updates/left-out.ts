import { toIso } from '../../shared/clock.ts';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import { isInPinRange } from './pin-range.ts';
import {
  ALL_ITEMS_SLUG,
  type LeftOut,
  type LeftOutReason,
  type PendingUpdate,
  type PinOfItem,
  type SkippedReason,
  type UpdatePlace,
} from './update.ts';

/** Values of the column `ignored` of `site_updates`. Updates that are listed and counted have `ignored = 0`. */
export const LEFT_OUT_FLAGS = { ignored: 1, pinned: 2 } as const satisfies Partial<Record<LeftOutReason, number>>;
export const flagOf = (leftOut: LeftOut | null): number =>
  leftOut === null || leftOut.reason === 'held' ? 0 : LEFT_OUT_FLAGS[leftOut.reason];

export const reasonOfFlag = (flag: number): keyof typeof LEFT_OUT_FLAGS | null =>
  flag === LEFT_OUT_FLAGS.ignored ? 'ignored' : flag === LEFT_OUT_FLAGS.pinned ? 'pinned' : null;

/** Pin of an item on a site. If `pin` is null, all updates of the item are ignored. */
export interface UpdateRule extends UpdatePlace {
  pin: PinOfItem | null;
}

export type OfferedVersion = UpdatePlace & Pick<PendingUpdate, 'newVersion'>;

export class UpdateRules {
  readonly #ignored = new Set<string>();
  readonly #pins = new Map<string, PinOfItem>();
  readonly #hold: (update: OfferedVersion) => LeftOut | null;

  constructor(rules: readonly UpdateRule[], hold: (update: OfferedVersion) => LeftOut | null = () => null) {
    this.#hold = hold;
    for (const rule of rules)
      if (rule.pin) this.#pins.set(keyOf(rule), rule.pin);
      else this.#ignored.add(keyOf(rule));
  }

  /** Returns null for an update that is not left out. A rule that ignores the update takes precedence over a pin. */
  leftOut(update: OfferedVersion): LeftOut | null {
    if (this.#isIgnored(update)) return { reason: 'ignored', pin: null };
    const pin = this.#pins.get(keyOf(update));
    return pin && !isInPinRange(pin.version, update.newVersion) ? { reason: 'pinned', pin } : this.#hold(update);
  }

  #isIgnored({ type, slug }: UpdatePlace): boolean {
    return this.#ignored.has(keyOf({ type, slug })) || this.#ignored.has(keyOf({ type, slug: ALL_ITEMS_SLUG }));
  }
}

const keyOf = ({ type, slug }: UpdatePlace): string => `${type} ${slug}`;

export function describeLeftOut({ reason, pin, heldUntil }: LeftOut<SkippedReason>): {
  code: LeftOutCode;
  message: string;
} {
  if (reason === 'no_fallback')
    return { code: 'svc_no_fallback', message: 'The package of the installed version cannot be had.' };
  if (reason === 'ignored')
    return { code: 'svc_update_ignored', message: 'Updates of this item are ignored on this site.' };
  if (reason === 'held')
    return {
      code: 'svc_update_held',
      message:
        heldUntil === undefined || heldUntil === 'never'
          ? 'The settings leave releases of this step out of scheduled runs.'
          : `This version is younger than the minimum age. It is held until ${toIso(heldUntil)}.`,
    };
  const range = pin === null ? 'pin' : `pin ${pin.version}`;
  return { code: 'svc_update_pinned', message: `This version is outside of the ${range} of this item on this site.` };
}

type LeftOutCode = Extract<
  ItemErrorCode,
  'svc_update_held' | 'svc_update_ignored' | 'svc_update_pinned' | 'svc_no_fallback'
>;
