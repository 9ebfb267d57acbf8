import type { SecurityFlag, SecurityValue } from '../../connector/child-site.ts';

export type Severity = 'low' | 'medium' | 'high';

export interface SecurityIssue {
  type: SecurityFlag;
  severity: Severity;
  message: string;
}

export type SecurityFlags = Partial<Record<SecurityFlag, SecurityValue>>;

/** Issue of each flag. Responses list the issues in this order, and the severities are part of the contract. */
const ISSUES: Readonly<Record<SecurityFlag, { severity: Severity; message: string }>> = {
  wp_uptodate: { severity: 'high', message: 'A newer version of WordPress is available.' },
  phpversion_matched: { severity: 'high', message: 'The PHP version is older than WordPress recommends.' },
  sslprotocol: { severity: 'high', message: 'The site was not called over https.' },
  sec_outdated_plugins: { severity: 'high', message: 'Plugins have updates that are not installed.' },
  debug_disabled: { severity: 'medium', message: 'WordPress debugging is switched on.' },
  db_reporting: { severity: 'medium', message: 'Database errors are shown to visitors.' },
  php_reporting: { severity: 'medium', message: 'PHP errors are shown to visitors.' },
  sec_outdated_themes: { severity: 'medium', message: 'Themes have updates that are not installed.' },
  sec_inactive_plugins: { severity: 'low', message: 'Inactive plugins are installed.' },
  sec_inactive_themes: { severity: 'low', message: 'Inactive themes are installed.' },
};

/**
 * True if a check was passed. The letter is the result of the check. `_UNABLE` means that the child plugin cannot
 * change the checked setting (protocol 4.7).
 */
const isSecurityCheckPassed = (value: SecurityValue): boolean => value === 'Y' || value === 'Y_UNABLE';

export function securityIssues(flags: SecurityFlags): SecurityIssue[] {
  return (Object.keys(ISSUES) as SecurityFlag[]).flatMap((type) => {
    const value = flags[type];
    return value === undefined || isSecurityCheckPassed(value) ? [] : [{ type, ...ISSUES[type] }];
  });
}
