import type { FieldRow } from './row-types.ts';

/** Response fields that MainWP Dashboard names differently. In all others, the prefix `svc_` becomes `mainwp_`. */
export const FIELD_ROWS: readonly FieldRow[] = [
  {
    ours: 'non_svc_changes',
    theirs: 'non_mainwp_changes',
    note: 'The name of the changes widget is `non_mainwp_changes`.',
  },
  {
    ours: 'non-svc-changes',
    theirs: 'non-mainwp-changes',
    note: 'A batch returns changes of sites under `non-mainwp-changes`.',
  },
  { ours: 'chat_widget', theirs: 'chatbase', note: 'The name of the setting `chat_widget` is `chatbase`.' },
  {
    ours: 'core_upgrades',
    theirs: 'wp_upgrades',
    note: '`wp_upgrades` of a site contains the available updates of WordPress itself.',
  },
  {
    ours: 'perf_audit_noti_email',
    theirs: 'lighthouse_noti_email',
    note: 'The key of the performance audit mail is `lighthouse_noti_email`.',
  },
];
