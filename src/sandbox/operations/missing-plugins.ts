import { hasField, textField } from '../protocol/form.ts';
import { frameReply, FATAL, type Reply } from '../protocol/reply.ts';
import { unixSecondsOf, type Call, type Operation } from './call.ts';

/**
 * This file simulates the child's functions for other plugins. None of these plugins is installed on the site (recorded
 * from a real site).
 */

const refusing =
  (error: string): Operation =>
  () =>
    frameReply({ error });
const pleaseInstall = (name: string): Operation => refusing(`Please install ${name} plugin on child website`);
const replyEmptyList: Operation = () => frameReply([]);

export const MISSING_PLUGIN_OPERATIONS: Readonly<Record<string, Operation>> = {
  updraftplus: refusing('NO_UPDRAFTPLUS'),
  backup_wp: refusing('NO_BACKUPWORDPRESS'),
  ithemes: refusing('NO_ITHEME'),
  links_checker: refusing('NO_BROKENLINKSCHECKER'),
  wpvivid_backuprestore: refusing('NO_WPVIVIDBACKUP'),
  wp_seopress: refusing('NO_SEOPRESS'),
  wordpress_seo: refusing('NO_WPSEO'),
  wordfence: refusing('Please install the Wordfence plugin on the child site.'),
  backup_buddy: refusing('Please install the BackupBuddy plugin on the child site.'),
  backwpup: pleaseInstall('BackWPup'),
  wp_rocket: pleaseInstall('WP Rocket'),
  wp_staging: pleaseInstall('WP Staging'),
  time_capsule: pleaseInstall('WP Time Capsule'),
  page_speed: pleaseInstall('Google Pagespeed Insights'),
  jetpack_protect: pleaseInstall('Jetpack Protect'),
  jetpack_scan: pleaseInstall('Jetpack Protect or Jetpact Scan'),
  custom_post_type: refusing('Unknown action'),
  skeleton_key: refusing('Unknown action'),
  patchstack: replyEmptyList,
  db_updater: replyEmptyList,
  branding_child_plugin: replyEmptyList,
  extra_execution: replyEmptyList,
  extra_excution: replyEmptyList,
  vulner_checker: ({ fields }) =>
    frameReply(textField(fields, 'mwp_action') === 'vulner_recheck' ? { error: 'Error: empty WPScan API token.' } : []),
};

export function cloneInfo({ siteUrl }: Call): Reply {
  return frameReply({ dbCharset: 'utf8mb4', dbCollate: '', table_prefix: 'wp_', site_url: false, home: siteUrl });
}

/** Always fails, because the call needs a nonce of wp-admin, which no dashboard has. */
export const verifyAction = (): Reply => frameReply({ failed: 1 });

/**
 * Simulates the calls for code snippets. Does not run a snippet: its code is treated as a name, and if a test lists it
 * in `fatalOnActivation`, PHP dies.
 */
export function codeSnippet({ fields, defects }: Call): Reply {
  const action = textField(fields, 'action');
  if (action === 'save_snippet') return frameReply({ status: 'SUCCESS' });
  if (action !== 'run_snippet') return frameReply({ status: 'FAIL' });
  return defects.fatalOnActivation.has(textField(fields, 'code'))
    ? FATAL
    : frameReply({ status: 'SUCCESS', result: '' });
}

const WINDOWS = [0, 30, 60, 90, 120, 180, 360];

export function passwordPolicySettings(call: Call): Reply {
  const { state, fields } = call;
  if (textField(fields, 'action') !== 'update_password_policy') return frameReply({ error: 'Invalid action' });
  if (!hasField(fields, 'max_age_days')) return frameReply({ error: 'Missing required parameter: max_age_days' });
  const days = Number(textField(fields, 'max_age_days'));
  if (!WINDOWS.includes(days))
    return frameReply({ error: `Invalid policy window. Allowed values: ${WINDOWS.join(', ')}` });
  const before = state.passwordPolicy['policy_enabled_at'] as number | string | null;
  const policy = {
    max_age_days: days,
    due_soon_days: 7,
    due_soon_message: textField(fields, 'due_soon_message'),
    overdue_message: textField(fields, 'overdue_message'),
    show_notices_to: textField(fields, 'show_notices_to') || 'edit_posts',
    policy_enabled_at: days === 0 ? String(before ?? '') : (before ?? unixSecondsOf(call)),
  };
  state.passwordPolicy = { ...policy, max_age_days: String(days), due_soon_days: '7' };
  return frameReply({ result: 'SUCCESS', ...policy });
}
