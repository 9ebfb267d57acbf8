/** Advanced settings that limit the load on the fleet. */
export interface ConnectorLimits {
  /** `svc_maximum_requests`: maximum number of concurrent calls of all kinds. */
  maximumRequests: number;
  /** `svc_minimum_delay`: milliseconds between the starts of any two calls. */
  minimumDelayMs: number;
  /** `svc_maximum_ip_requests`: maximum number of concurrent calls to one address. */
  maximumIpRequests: number;
  /** `svc_minimum_ip_delay`: milliseconds between the starts of two calls to one address. */
  minimumIpDelayMs: number;
  /** `svc_maximum_sync_requests` */
  maximumSyncRequests: number;
  /** `svc_maximum_install_update_requests` */
  maximumInstallUpdateRequests: number;
  /** `svc_maximum_uptime_monitoring_requests` */
  maximumUptimeMonitoringRequests: number;
}

export const CALL_KINDS = ['register', 'action', 'update', 'sync', 'check'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** Returns the maximum number of concurrent calls of one kind. The global limit applies too. */
export function limitOfKind(kind: CallKind, limits: ConnectorLimits): number {
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
