/** All that the edit of a cost asks for, but its name. */
export const HOSTING_COST = {
  price: 12,
  type: 'subscription',
  product_type: 'hosting',
  license_type: 'single_site',
  cost_status: 'active',
  payment_method: 'cash',
  renewal_type: 'monthly',
};
