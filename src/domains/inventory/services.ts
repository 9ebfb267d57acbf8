import type { InventoryReadModel } from './inventory-read-model.ts';
import type { InventoryService } from './inventory-service.ts';

export interface InventoryServices {
  inventory: InventoryService;
  inventoryReadModel: InventoryReadModel;
}
