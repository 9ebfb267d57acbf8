import { cut } from '../../db/replace-rows.ts';
import { colorOf } from '../../shared/color.ts';
import { InvalidError, type FieldError } from '../../shared/errors.ts';
import {
  COST_STATUSES,
  COST_TYPES,
  LICENSE_TYPES,
  RENEWAL_TYPES,
  TARGET_KINDS,
  type Cost,
  type CostTarget,
  type NewCost,
} from './cost.ts';
import { dayOf } from './cost-rules.ts';

/** Far above what a site costs, and low enough for sums over a fleet to stay exact. */
const MAX_PRICE = 999_999_999.99;
const MAX_TARGETS = 10_000;
const SLUG = /^[a-z0-9_-]{1,64}$/;

function refuseAny(errors: FieldError[]): void {
  if (errors.length > 0) throw new InvalidError(errors);
}

/** Names are ordered and searched by this. */
export const nameKeyOf = (name: string): string => cut(name.toLowerCase(), 255);

/** Fills what is absent; throws with every field that breaks a rule. */
export function checkedCost(input: Omit<NewCost, 'targets'>): Cost {
  const cost: Cost = {
    name: input.name.trim(),
    url: input.url?.trim() ?? '',
    type: input.type ?? 'subscription',
    productType: input.productType ?? 'other',
    slug: input.slug?.trim() ?? '',
    licenseType: input.licenseType ?? 'single_site',
    status: input.status ?? 'active',
    paymentMethod: input.paymentMethod ?? 'cash',
    priceMinor: Math.round(input.price * 100),
    // What is paid once and for all has nothing to renew.
    renewalType: input.type === 'lifetime' ? 'disabled' : (input.renewalType ?? 'monthly'),
    lastRenewal: input.lastRenewal ?? null,
    color: input.color == null ? null : colorOf(input.color),
    note: input.note?.trim() ?? '',
  };
  const within = (text: string, least: number, most: number): boolean => text.length >= least && text.length <= most;
  const rules: [string, boolean, string][] = [
    ['name', within(cost.name, 1, 255), 'must have from 1 to 255 characters'],
    ['url', within(cost.url, 0, 2048), 'must have at most 2048 characters'],
    ['slug', within(cost.slug, 0, 255), 'must have at most 255 characters'],
    ['note', within(cost.note, 0, 65_535), 'must have at most 65535 characters'],
    ['price', isPrice(input.price), `must be an amount from 0 to ${MAX_PRICE} with at most two decimals`],
    ['type', COST_TYPES.includes(cost.type), `must be one of ${COST_TYPES.join(', ')}`],
    ['licenseType', LICENSE_TYPES.includes(cost.licenseType), `must be one of ${LICENSE_TYPES.join(', ')}`],
    ['status', COST_STATUSES.includes(cost.status), `must be one of ${COST_STATUSES.join(', ')}`],
    ['renewalType', RENEWAL_TYPES.includes(cost.renewalType), `must be one of ${RENEWAL_TYPES.join(', ')}`],
    ['lastRenewal', cost.lastRenewal === null || dayOf(cost.lastRenewal) !== null, 'must be a day such as 2026-11-21'],
    ['color', input.color == null || cost.color !== null, 'must be a hex color such as #1a73e8'],
    ['productType', SLUG.test(cost.productType), 'must be a slug'],
    ['paymentMethod', SLUG.test(cost.paymentMethod), 'must be a slug'],
  ];
  refuseAny(rules.flatMap(([path, holds, message]) => (holds ? [] : [{ path, message }])));
  return cost;
}

const isPrice = (price: number): boolean => price >= 0 && price <= MAX_PRICE && Number(price.toFixed(2)) === price;

/** What a cost is for, each once; a cost for nothing is refused. */
export function checkedTargets(targets: readonly CostTarget[]): CostTarget[] {
  const errors: FieldError[] = [];
  if (targets.length === 0 || targets.length > MAX_TARGETS)
    errors.push({ path: 'targets', message: `must name from 1 to ${MAX_TARGETS} sites, clients or tags` });
  if (targets.some(({ kind, id }) => !TARGET_KINDS.includes(kind) || !Number.isSafeInteger(id) || id < 1))
    errors.push({ path: 'targets', message: 'must name sites, clients or tags by ID' });
  refuseAny(errors);
  return [...new Map(targets.map(({ kind, id }) => [`${kind}:${id}`, { kind, id }])).values()];
}
