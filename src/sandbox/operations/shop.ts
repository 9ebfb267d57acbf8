import { textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Order } from '../state/site-state.ts';
import type { Call } from './call.ts';

/** Simulates `woo_com_status` (protocol 4.11). The database returns sums as texts, or null if there are no orders. */
export function wooCommerceStatus({ state, fields }: Call): Reply {
  const { shop } = state;
  if (shop === null) return frameReply({ error: 'NO_WOOCOMMERCE' });
  if (textField(fields, 'mwp_action') !== 'report_data') return frameReply([]);
  const [from, to] = [Number(textField(fields, 'start_date')), Number(textField(fields, 'end_date'))];
  const orders = shop.orders.filter(({ at }) => at >= from && at <= to);
  const sales = orders.reduce((sum, { total }) => sum + total, 0);
  return frameReply({
    data: {
      sales: orders.length === 0 ? null : String(Number(sales.toFixed(2))),
      formated_sales: price(sales, shop.currency),
      top_seller: topSeller(orders),
      onhold: shop.onHold,
      awaiting: shop.awaiting,
      stock: 2,
      nostock: 0,
      lowstock: shop.lowStock,
      outstock: shop.outOfStock,
    },
    need_db_update: false,
  });
}

function price(amount: number, currency: string): string {
  const sign = `<span class="woocommerce-Price-currencySymbol">${currency}</span>`;
  return `<span class="woocommerce-Price-amount amount"><bdi>${sign}${amount.toFixed(2)}</bdi></span>`;
}

function topSeller(orders: Order[]): unknown {
  const sold = new Map<string, number>();
  for (const { product, quantity } of orders) sold.set(product, (sold.get(product) ?? 0) + quantity);
  const [best] = [...sold].sort(([, left], [, right]) => right - left);
  if (best === undefined) return null;
  const [name, qty] = best;
  return { qty: String(qty), product_id: String(100 + [...sold.keys()].indexOf(name)), name };
}
