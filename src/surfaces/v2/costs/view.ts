import type { components } from '../../../../generated/v2.ts';
import {
  toCurrencyAmount,
  type CostShare,
  type CostOption,
  type CostRecord,
  type CostTotals,
  type SiteCostShare,
  type TargetKind,
} from '../../../domains/costs/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export function costView(cost: CostRecord, money: (amount: number) => string): Schemas['Cost'] {
  const named = (kind: TargetKind): number[] => cost.targets.filter((each) => each.kind === kind).map(({ id }) => id);
  const price = toCurrencyAmount(cost.priceUnits);
  return {
    id: cost.id,
    name: cost.name,
    url: cost.url,
    type: cost.type,
    product_type: cost.productType,
    slug: cost.slug,
    license_type: cost.licenseType,
    cost_status: cost.status,
    payment_method: cost.paymentMethod,
    price,
    price_text: money(price),
    amount: price,
    renewal_type: cost.renewalType,
    frequency: cost.frequency,
    last_renewal: cost.lastRenewal,
    next_renewal: cost.nextDue,
    next_due: cost.nextDue,
    cost_color: cost.color,
    sites: named('site'),
    groups: named('tag'),
    clients: named('client'),
    note: cost.note,
    created_at: toIso(cost.createdAt),
    updated_at: toIso(cost.updatedAt),
  };
}

export const siteCostView = (cost: CostShare): Schemas['SiteCost'] => ({
  id: cost.id,
  name: cost.name,
  amount: toCurrencyAmount(cost.amountUnits),
  frequency: cost.frequency,
  next_due: cost.nextDue,
});

export const clientCostView = (cost: SiteCostShare): Schemas['ClientCost'] => ({
  ...siteCostView(cost),
  site_id: cost.siteId,
  site_name: cost.siteName,
});

export const totalsView = ({
  monthlyUnits,
  yearlyUnits,
}: CostTotals): { total_monthly: number; total_yearly: number } => ({
  total_monthly: toCurrencyAmount(monthlyUnits),
  total_yearly: toCurrencyAmount(yearlyUnits),
});

export const productTypeView = ({ slug, title, color, icon }: CostOption): Record<string, Schemas['ProductType']> => ({
  [slug]: { title, color: color ?? '', icon: icon ?? '' },
});

export const paymentMethodView = ({ slug, title }: CostOption): Record<string, string> => ({ [slug]: title });

export const costOptionsView = (options: readonly CostOption[]) => ({
  product_categories: options
    .filter(({ kind }) => kind === 'product_type')
    .map(({ slug, title, icon, color }) => ({ slug, title, icon: icon ?? '', color: color ?? '' })),
  payment_methods: Object.fromEntries(
    options.filter(({ kind }) => kind === 'payment_method').map(({ slug, title }) => [slug, title]),
  ),
});
