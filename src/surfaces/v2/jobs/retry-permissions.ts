import type { Permission } from '../../../shared/permissions.ts';

/**
 * Permission of the calls that start a job of each type. Whoever retries a job needs it too. Types that only the
 * service starts are absent.
 */
export const RETRY_PERMISSIONS: Readonly<Record<string, Permission>> = {
  sync: 'sites:sync',
  check: 'sites:sync',
  reconnect: 'sites:write',
  disconnect: 'sites:write',
  suspend: 'sites:write',
  update: 'updates:run',
  'install-package': 'packages:install',
  'rollback-package': 'updates:run',
  'fix-vulnerability': 'updates:run',
  'switch-vulnerable-plugin': 'updates:run',
  pin: 'updates:write',
  unpin: 'updates:write',
  'create-user': 'site_users:write',
  'admin-password': 'site_users:write',
  'destroy-sessions': 'tools:manage',
  'renew-connections': 'tools:manage',
  'disconnect-all-sites': 'tools:manage',
  'send-mail': 'mail:write',
  'uptime-check': 'checks:run',
  'ssl-check': 'checks:run',
  'perf-audit': 'checks:run',
  'check-domains': 'checks:run',
  'make-report': 'reports:write',
};
