export type { ActivationGuard, GuardedDeactivation } from './activation-guard.ts';
export type { GuardedItem, GuardRefusal } from './guard-file.ts';
export type { UpdateGuardContext } from './guard-files.ts';
export type { GuardFilesServices } from './part.ts';
