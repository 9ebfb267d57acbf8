export const MODULES = [
  { slug: 'api-backups', name: 'API Backups' },
  { slug: 'comments', name: 'Comments' },
  { slug: 'cost-tracker', name: 'Cost Tracker' },
  { slug: 'dashboard-insights', name: 'Dashboard Insights' },
  { slug: 'domain-monitor', name: 'Domain Monitor' },
  { slug: 'logs', name: 'Logs' },
  { slug: 'perf-audit', name: 'Performance Audit' },
  { slug: 'pro-reports', name: 'Pro Reports' },
  { slug: 'ssl-monitor', name: 'SSL Monitor' },
  { slug: 'time-tracker', name: 'Time Tracker' },
  { slug: 'vulnerabilities', name: 'Vulnerabilities' },
] as const;

export type ModuleSlug = (typeof MODULES)[number]['slug'];

export interface Module {
  slug: ModuleSlug;
  name: string;
  active: boolean;
  /** Time of the last change, or of the creation of the row if nothing was changed. In milliseconds since 1970. */
  updatedAt: number;
}
