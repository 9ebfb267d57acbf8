/** Required fields of a cost, except its name. */
export const HOSTING_COST = {
  price: 12,
  type: 'subscription',
  product_type: 'hosting',
  license_type: 'single_site',
  cost_status: 'active',
  payment_method: 'cash',
  renewal_type: 'monthly',
};
