import type { DomainMonitor } from './domain-monitor.ts';

export interface DomainMonitorServices {
  domains: DomainMonitor;
}
