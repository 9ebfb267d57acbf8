/** The advanced settings that rule how hard the fleet is called. */
export interface ConnectorLimits {
  /** `svc_maximum_requests`: calls at the same time, of all kinds. */
  maximumRequests: number;
  /** `svc_minimum_delay`: milliseconds between the starts of any two calls. */
  minimumDelayMs: number;
  /** `svc_maximum_ip_requests`: calls at the same time to one address. */
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

/** How many calls of one kind may run; the global limit holds beside it. */
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
