export type { AutomaticPackages, ItemVersion } from './automatic-packages.ts';
export type { PackageFilter, PackageRef, StoredPackage } from './package.ts';
export { parseInstallJobResult, type InstalledPackage, type InstallJobResult } from './install-result.ts';
export { parseRollbackJobResult, type RollbackJobResult } from './rollback.job.ts';
export type { ReachCheck } from './download-reachability.ts';
export type { PackagesServices } from './part.ts';
