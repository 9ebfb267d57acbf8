import type { ModuleService } from './module-service.ts';

export interface ModulesServices {
  modules: ModuleService;
}
