import type { ListOrder } from '../../shared/list-order.ts';

/** Fields that end in `Units` are whole units of 10^-PRICE_DECIMALS of the currency, whatever the currency is. */

export const COST_TYPES = ['subscription', 'lifetime'] as const;
export type CostType = (typeof COST_TYPES)[number];

/** `single_site`: the price is paid for each site. `multi_site`: it is paid once for all sites. */
export const LICENSE_TYPES = ['single_site', 'multi_site'] as const;
export type LicenseType = (typeof LICENSE_TYPES)[number];

export const COST_STATUSES = ['active', 'onhold', 'canceled', 'expired', 'pending_cancelation'] as const;
export type CostStatus = (typeof COST_STATUSES)[number];

export const RENEWAL_TYPES = ['weekly', 'monthly', 'quarterly', 'yearly', 'disabled'] as const;
export type RenewalType = (typeof RENEWAL_TYPES)[number];

export type Frequency = Exclude<RenewalType, 'disabled'> | 'lifetime';

/** A client or a tag as target includes all its sites. */
export const TARGET_KINDS = ['site', 'client', 'tag'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export interface CostTarget {
  kind: TargetKind;
  id: number;
}

export interface Cost {
  name: string;
  url: string;
  type: CostType;
  productType: string;
  slug: string;
  licenseType: LicenseType;
  status: CostStatus;
  paymentMethod: string;
  priceUnits: number;
  renewalType: RenewalType;
  /** A day such as `2026-11-21`. Null if the cost was never paid. */
  lastRenewal: string | null;
  color: string | null;
  note: string;
}

export interface CostRecord extends Cost {
  id: number;
  frequency: Frequency;
  nextDue: string | null;
  /** Empty if all targets were deleted. */
  targets: CostTarget[];
  createdAt: number;
  updatedAt: number;
}

/**
 * In ascending order of `last_renewal`, costs that were never paid are first. The order `price` ignores how often the
 * price is paid.
 */
export type CostOrder = ListOrder<'name' | 'price' | 'last_renewal'>;

export interface CostFilter {
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
  productType?: string;
  type?: CostType;
  status?: CostStatus;
}

export interface NewCost {
  name: string;
  /** Amount in the currency, with at most PRICE_DECIMALS decimals. */
  price: number;
  targets: readonly CostTarget[];
  type?: CostType;
  licenseType?: LicenseType;
  status?: CostStatus;
  renewalType?: RenewalType;
  lastRenewal?: string | null;
  productType?: string;
  paymentMethod?: string;
  url?: string;
  slug?: string;
  color?: string | null;
  note?: string;
}

/** Omitted fields keep their values. The given targets replace all targets of the same kind. */
export type CostPatch = Partial<Omit<NewCost, 'targets'>> & {
  targets?: Partial<Record<TargetKind, readonly number[]>>;
};

export interface CostShare {
  id: number;
  name: string;
  amountUnits: number;
  frequency: Frequency;
  nextDue: string | null;
}

export interface SiteCostShare extends CostShare {
  siteId: number;
  siteName: string;
}

export interface CostTotals {
  monthlyUnits: bigint;
  yearlyUnits: bigint;
}
