/** What is paid for sites: what it is, who bears it, and when. Prices are whole minor units of the currency (cents). */

export const COST_TYPES = ['subscription', 'lifetime'] as const;
export type CostType = (typeof COST_TYPES)[number];

/** single_site: the price is paid for each site; multi_site: it is paid once for all. */
export const LICENSE_TYPES = ['single_site', 'multi_site'] as const;
export type LicenseType = (typeof LICENSE_TYPES)[number];

export const COST_STATUSES = ['active', 'onhold', 'canceled', 'expired', 'pending_cancelation'] as const;
export type CostStatus = (typeof COST_STATUSES)[number];

export const RENEWAL_TYPES = ['weekly', 'monthly', 'quarterly', 'yearly', 'disabled'] as const;
export type RenewalType = (typeof RENEWAL_TYPES)[number];

/** How often a cost falls due, as callers read it. */
export type Frequency = Exclude<RenewalType, 'disabled'> | 'lifetime';

/** A client and a tag stand for all their sites. */
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
  priceMinor: number;
  renewalType: RenewalType;
  /** `2026-11-21`; null when it was never paid. */
  lastRenewal: string | null;
  /** `#rrggbb`; null without one. */
  color: string | null;
  note: string;
}

/** A cost as it is kept, of any status. Times are milliseconds since 1970. */
export interface CostRecord extends Cost {
  id: number;
  frequency: Frequency;
  /** Follows from the last renewal and today. */
  nextDue: string | null;
  /** By kind, then by ID; none when all that it was for is gone. */
  targets: CostTarget[];
  createdAt: number;
  updatedAt: number;
}

/** Which costs a list shows; the parts combine, and an empty `include` is none. */
export interface CostFilter {
  /** Part of the name, in any case. */
  search?: string;
  include?: readonly number[];
  exclude?: readonly number[];
  productType?: string;
  type?: CostType;
  status?: CostStatus;
}

export interface NewCost {
  name: string;
  /** In the currency, with at most two decimals. */
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
  /** `#RGB` or `#RRGGBB`. */
  color?: string | null;
  note?: string;
}

/** What is absent stays as it is; of each kind of target that is given, these become the only ones. */
export type CostPatch = Partial<Omit<NewCost, 'targets'>> & {
  targets?: Partial<Record<TargetKind, readonly number[]>>;
};

/** What one site bears of a cost. */
export interface CostEntry {
  id: number;
  name: string;
  amountMinor: number;
  frequency: Frequency;
  nextDue: string | null;
}

/** The same, in a list over several sites. */
export interface SiteCostEntry extends CostEntry {
  siteId: number;
  siteName: string;
}

export interface CostTotals {
  monthlyMinor: number;
  yearlyMinor: number;
}
