import type { InventoryReadModel } from './inventory-read-model.ts';
import type { InventoryService } from './inventory-service.ts';

/** What other parts and the surfaces may ask of the inventory. */
export interface InventoryServices {
  inventory: InventoryService;
  inventoryReadModel: InventoryReadModel;
}
