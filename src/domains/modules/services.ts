import type { ModuleService } from './module-service.ts';

/** What other parts and the surfaces may ask of the modules. */
export interface ModulesServices {
  modules: ModuleService;
}
