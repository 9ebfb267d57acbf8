import type { ItemErrorCode } from '../../shared/errors.ts';
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

/** Values of the column `ignored` of `site_updates`. Every query for updates that count has `ignored = 0`. */
export const LEFT_OUT_FLAGS = { ignored: 1, pinned: 2 } as const satisfies Record<LeftOutReason, number>;
export const flagOf = (leftOut: LeftOut | null): number => (leftOut === null ? 0 : LEFT_OUT_FLAGS[leftOut.reason]);

export const reasonOfFlag = (flag: number): LeftOutReason | null =>
  flag === LEFT_OUT_FLAGS.ignored ? 'ignored' : flag === LEFT_OUT_FLAGS.pinned ? 'pinned' : null;

/** A rule that ignores an item has no pin. */
export interface UpdateRule extends UpdatePlace {
  pin: PinOfItem | null;
}

/** The rules of one site: which updates are ignored, and which are outside of a pin. */
export class UpdateRules {
  readonly #ignored = new Set<string>();
  readonly #pins = new Map<string, PinOfItem>();

  constructor(rules: readonly UpdateRule[]) {
    for (const rule of rules)
      if (rule.pin) this.#pins.set(keyOf(rule), rule.pin);
      else this.#ignored.add(keyOf(rule));
  }

  /** Returns null for an update that is listed. A rule that ignores it comes before a pin. */
  leftOut(update: UpdatePlace & Pick<PendingUpdate, 'newVersion'>): LeftOut | null {
    if (this.#isIgnored(update)) return { reason: 'ignored', pin: null };
    const pin = this.#pins.get(keyOf(update));
    return pin && !isInPinRange(pin.version, update.newVersion) ? { reason: 'pinned', pin } : null;
  }

  #isIgnored({ type, slug }: UpdatePlace): boolean {
    return this.#ignored.has(keyOf({ type, slug })) || this.#ignored.has(keyOf({ type, slug: ALL_ITEMS_SLUG }));
  }
}

const keyOf = ({ type, slug }: UpdatePlace): string => `${type} ${slug}`;

/** Code and message of an update that was left out. */
export function describeLeftOut({ reason, pin }: LeftOut<SkippedReason>): { code: LeftOutCode; message: string } {
  if (reason === 'no_fallback')
    return { code: 'svc_no_fallback', message: 'The package of the installed version cannot be had.' };
  if (reason === 'ignored')
    return { code: 'svc_update_ignored', message: 'Updates of this item are ignored on this site.' };
  const range = pin === null ? 'pin' : `pin ${pin.version}`;
  return { code: 'svc_update_pinned', message: `This version is outside of the ${range} of this item on this site.` };
}

type LeftOutCode = Extract<ItemErrorCode, 'svc_update_ignored' | 'svc_update_pinned' | 'svc_no_fallback'>;
