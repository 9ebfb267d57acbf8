export type { SeenCertificate } from './certificate-repository.ts';
export type { SslMonitorServices } from './part.ts';
export type { SslFilter, SslRecord } from './ssl-list-read-model.ts';
export { parseSslCheckJobResult } from './ssl-check.job.ts';
export { createSslProbe } from './ssl-probe.ts';
export { daysLeft, isValidOrExpiring, type SslState } from './ssl-state.ts';
