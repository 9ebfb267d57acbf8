import type { Lease } from '../../db/lease.ts';
import type { PinsServices } from '../pins/index.ts';
import type { PinnableType } from '../updates/index.ts';
import { rangeBelow } from './rollback-target.ts';

export interface LeftVersion {
  left: string;
  note: string;
}

export interface PinContext {
  actor: string;
  oneOfMany: boolean;
  lease: Lease;
}

/**
 * Pins an item below a version that was rolled back, and switches its automatic updates off. A pin that already
 * excludes the version is kept. Returns the range of the pin; null if the version cannot be compared.
 */
export async function leaveOutBelow(
  pins: PinsServices['pins'],
  siteId: number,
  item: { type: PinnableType; slug: string },
  { left, note }: LeftVersion,
  { actor, oneOfMany, lease }: PinContext,
): Promise<string | null> {
  const version = rangeBelow(left);
  if (version === null) return null;
  const pin = await pins.set(siteId, item, { version, note, excluded: left }, actor, lease);
  // For a pin that was kept, the site was asked to switch its automatic updates off when the pin was set.
  if (pin.version === version) await pins.switchOff(pin, { actor, oneOfMany, lease });
  return pin.version;
}
