import { emptySegmentContent, defineSegment } from '../segment.ts';

const NOTHING = { awaiting_processing: 0, on_hold: 0, low_stock: 0, out_of_stock: 0 };

export const shopstatus = defineSegment({
  name: 'shopstatus',
  asksSite: true,
  tokens: { kind: 'shopstatus' },
  async read(sources) {
    const shop = await sources.shop();
    if (!shop) return emptySegmentContent(NOTHING);
    const { sales, salesText, topSeller, awaitingProcessing, onHold, lowStock, outOfStock } = shop;
    return {
      source: 'child-reports',
      items: [],
      total: 0,
      counts: {
        awaiting_processing: awaitingProcessing,
        on_hold: onHold,
        low_stock: lowStock,
        out_of_stock: outOfStock,
      },
      summary: {
        sales,
        sales_text: salesText,
        top_seller: topSeller?.name ?? null,
        top_seller_quantity: topSeller?.quantity ?? 0,
      },
    };
  },
});
