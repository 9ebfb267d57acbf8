export { ModuleService } from './module-service.ts';
export { MODULES, type Module, type ModuleSlug } from './modules.ts';
export type { ModulesServices } from './part.ts';
