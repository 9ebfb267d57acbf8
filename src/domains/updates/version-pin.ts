import type { ItemErrorCode } from '../../shared/error-codes.ts';

export type PinnableType = 'plugin' | 'theme';

/**
 * Automatic update of a pinned item by its own site. `off`: the site has confirmed that the automatic update is
 * switched off. `pending`: the site has not confirmed this, and the service tries again after its next sync.
 */
export type PinAutoUpdate = 'off' | 'pending';

export interface PinAutoUpdateState {
  state: PinAutoUpdate;
  /** Last error; null if `off`, or before the first attempt has ended. */
  error: { code: ItemErrorCode; message: string } | null;
  /** Start of the last attempt, in milliseconds since 1970. */
  triedAt: number;
}

/** Limits the updates of one plugin or theme of a site to a range of versions. */
export interface VersionPin {
  id: number;
  siteId: number;
  type: PinnableType;
  slug: string;
  /** Name of the item when the pin was set. */
  name: string;
  version: string;
  note: string;
  autoUpdate: PinAutoUpdateState;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
}
