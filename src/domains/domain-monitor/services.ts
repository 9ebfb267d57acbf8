import type { DomainMonitor } from './domain-monitor.ts';

/** What other parts and the surfaces may ask of the domain monitor. */
export interface DomainMonitorServices {
  domains: DomainMonitor;
}
