import type { components } from '../../../../generated/v2.ts';
import type { CostPatch, CostTarget, NewCost } from '../../../domains/costs/index.ts';

type Schemas = components['schemas'];
type Body = Schemas['CostEdit'];

const COST_FIELD_NAMES = {
  name: 'name',
  price: 'price',
  url: 'url',
  type: 'type',
  productType: 'product_type',
  slug: 'slug',
  licenseType: 'license_type',
  status: 'cost_status',
  paymentMethod: 'payment_method',
  renewalType: 'renewal_type',
  lastRenewal: 'last_renewal',
  color: 'cost_color',
  note: 'note',
} as const satisfies Record<keyof Omit<NewCost, 'targets'>, keyof Body>;

const TEXT_FIELDS: ReadonlySet<string> = new Set(['url', 'slug', 'note']);

export function costPatchOf(body: Body): CostPatch {
  const { sites, groups, clients } = body;
  const fields = Object.entries(COST_FIELD_NAMES)
    .map(([field, name]) => [field, body[name]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, value === null && TEXT_FIELDS.has(field) ? '' : value] as const);
  const targets = Object.entries({ site: sites, tag: groups, client: clients })
    .filter(([, ids]) => ids !== undefined)
    .map(([kind, ids]) => [kind, ids ?? []] as const);
  return {
    ...Object.fromEntries(fields),
    ...(targets.length > 0 ? { targets: Object.fromEntries(targets) } : {}),
  };
}

export function newCostOf(body: Schemas['CostAdd']): NewCost {
  const { targets = {}, ...fields } = costPatchOf(body);
  const named = Object.entries(targets) as [CostTarget['kind'], readonly number[]][];
  return {
    ...fields,
    name: body.name,
    price: body.price,
    targets: named.flatMap(([kind, ids]) => ids.map((id) => ({ kind, id }))),
  };
}

export const fieldNames = { ...COST_FIELD_NAMES, targets: 'sites' };
