import { parseDay } from '../../shared/calendar.ts';
import { normalizeColor } from '../../shared/color.ts';
import { hasAtMostDecimals, toUnits } from '../../shared/decimal.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { trimmedName, trimmedText } from '../../shared/text.ts';
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
import { PRICE_DECIMALS } from './cost-rules.ts';

/** Maximum price. With six decimals it has 15 digits, which a JavaScript number always keeps exactly. */
const MAX_PRICE = 999_999_999.99;
const MAX_TARGETS = 10_000;
const FIRST_RENEWAL = '1970-01-01';
const LAST_RENEWAL = '2999-12-31';
const SLUG = /^[a-z0-9_-]{1,64}$/;

/** `stored` is the cost before an edit. Its last renewal may be older than the limits. */
export function checkedCost(input: Omit<NewCost, 'targets'>, stored?: Pick<Cost, 'lastRenewal'>): Cost {
  const errors = new FieldErrors();
  const cost: Cost = {
    name: trimmedName(errors, 'name', input.name),
    url: trimmedText(errors, 'url', input.url ?? '', 2048),
    type: input.type ?? 'subscription',
    productType: input.productType ?? 'other',
    slug: trimmedText(errors, 'slug', input.slug ?? '', 255),
    licenseType: input.licenseType ?? 'single_site',
    status: input.status ?? 'active',
    paymentMethod: input.paymentMethod ?? 'cash',
    priceUnits: toUnits(input.price, PRICE_DECIMALS),
    renewalType: input.type === 'lifetime' ? 'disabled' : (input.renewalType ?? 'monthly'),
    lastRenewal: input.lastRenewal ?? null,
    color: input.color == null ? null : normalizeColor(input.color),
    note: trimmedText(errors, 'note', input.note ?? '', 65_535),
  };
  const rules: [string, boolean, string][] = [
    ['price', isPrice(input.price), `must be an amount from 0 to ${MAX_PRICE} with at most six decimals`],
    ['type', COST_TYPES.includes(cost.type), `must be one of ${COST_TYPES.join(', ')}`],
    ['licenseType', LICENSE_TYPES.includes(cost.licenseType), `must be one of ${LICENSE_TYPES.join(', ')}`],
    ['status', COST_STATUSES.includes(cost.status), `must be one of ${COST_STATUSES.join(', ')}`],
    ['renewalType', RENEWAL_TYPES.includes(cost.renewalType), `must be one of ${RENEWAL_TYPES.join(', ')}`],
    [
      'lastRenewal',
      cost.lastRenewal === null || cost.lastRenewal === stored?.lastRenewal || isRenewalDay(cost.lastRenewal),
      `must be a date from ${FIRST_RENEWAL} to ${LAST_RENEWAL}, such as 2026-11-21`,
    ],
    ['color', input.color == null || cost.color !== null, 'must be a hex color such as #1a73e8'],
    ['productType', SLUG.test(cost.productType), 'must be a slug'],
    ['paymentMethod', SLUG.test(cost.paymentMethod), 'must be a slug'],
  ];
  for (const rule of rules) errors.require(...rule);
  errors.throwIfAny();
  return cost;
}

const isRenewalDay = (day: string): boolean => parseDay(day) !== null && day >= FIRST_RENEWAL && day <= LAST_RENEWAL;

const isPrice = (price: number): boolean =>
  price >= 0 && price <= MAX_PRICE && hasAtMostDecimals(price, PRICE_DECIMALS);

export function checkedTargets(targets: readonly CostTarget[]): CostTarget[] {
  const isTarget = ({ kind, id }: CostTarget): boolean =>
    TARGET_KINDS.includes(kind) && Number.isSafeInteger(id) && id > 0;
  const isCount = targets.length > 0 && targets.length <= MAX_TARGETS;
  new FieldErrors()
    .require('targets', isCount, `must name from 1 to ${MAX_TARGETS} sites, clients or tags`)
    .require('targets', targets.every(isTarget), 'must name sites, clients or tags by ID')
    .throwIfAny();
  return [...new Map(targets.map(({ kind, id }) => [`${kind}:${id}`, { kind, id }])).values()];
}
