import type { CostOption, CostOptionService } from '../../../domains/costs/index.ts';
import type { HandlersOf } from '../handlers.ts';
import { paymentMethodView, productTypeView } from './view.ts';

const optionResponse = <Data>(what: string, data: Data) => ({
  status: 200 as const,
  body: { success: 1 as const, message: `The ${what}.`, data },
});

export function optionRoutes(options: CostOptionService) {
  const type = (did: string, option: CostOption) => optionResponse(`product type was ${did}`, productTypeView(option));
  const method = (did: string, option: CostOption) =>
    optionResponse(`payment method was ${did}`, paymentMethodView(option));
  return {
    costs_product_types_add: async ({ body, caller }) =>
      type('added', await options.add('product_type', body, caller.name)),
    costs_product_types_edit: async ({ path, body, caller }) =>
      type('saved', await options.edit('product_type', path.slug, body, caller.name)),
    costs_product_types_delete: async ({ path, caller }) =>
      type('deleted', await options.delete('product_type', path.slug, caller.name)),
    costs_payment_methods_add: async ({ body, caller }) =>
      method('added', await options.add('payment_method', body, caller.name)),
    costs_payment_methods_edit: async ({ path, body, caller }) =>
      method('saved', await options.edit('payment_method', path.slug, body, caller.name)),
    costs_payment_methods_delete: async ({ path, caller }) =>
      method('deleted', await options.delete('payment_method', path.slug, caller.name)),
  } satisfies Partial<HandlersOf<'costs'>>;
}
