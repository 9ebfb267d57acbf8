import type { SslCheckJob } from './ssl-check.job.ts';
import type { SslMonitorService } from './ssl-monitor-service.ts';

/** What other parts and the surfaces may ask of the SSL monitor. */
export interface SslMonitorServices {
  sslMonitor: SslMonitorService;
  checkCertificates: SslCheckJob;
}
