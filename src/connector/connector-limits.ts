/**
 * Values of advanced settings: `maximumIpRequests` is `svc_maximum_ip_requests`, `minimumDelayMs` is
 * `svc_minimum_delay`. A maximum is a number of concurrent calls. A minimum is the time between the starts of two
 * calls.
 */
export interface ConnectorLimits {
  maximumRequests: number;
  minimumDelayMs: number;
  maximumIpRequests: number;
  minimumIpDelayMs: number;
  maximumSyncRequests: number;
  maximumInstallUpdateRequests: number;
  maximumUptimeMonitoringRequests: number;
}

export const CALL_KINDS = ['register', 'action', 'update', 'sync', 'check'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

export function concurrencyLimitOf(kind: CallKind, limits: ConnectorLimits): number {
  switch (kind) {
    case 'sync':
      return limits.maximumSyncRequests;
    case 'update':
      return limits.maximumInstallUpdateRequests;
    case 'check':
      return limits.maximumUptimeMonitoringRequests;
    case 'register':
    case 'action':
      return limits.maximumRequests;
  }
}
