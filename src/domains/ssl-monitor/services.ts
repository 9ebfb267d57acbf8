import type { SslCheckJob } from './ssl-check.job.ts';
import type { SslMonitorService } from './ssl-monitor-service.ts';

export interface SslMonitorServices {
  sslMonitor: SslMonitorService;
  checkCertificates: SslCheckJob;
}
