export type { SeenCertificate } from './certificate-repository.ts';
export type { SslMonitorServices } from './part.ts';
export type { SslFilter, SslOrder, SslRecord } from './ssl-list-read-model.ts';
export { parseCheckedCertificate } from './ssl-check.job.ts';
export { sslProbe } from './ssl-probe.ts';
export { daysLeft, isGood, type SslState } from './ssl-state.ts';
