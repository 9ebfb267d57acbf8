import type { FieldRow } from './rows.ts';

/** Response fields whose names differ in more than the prefix. In all others, `svc_` becomes `mainwp_`. */
export const FIELD_ROWS: readonly FieldRow[] = [
  {
    ours: 'non_svc_changes',
    theirs: 'non_mainwp_changes',
    note: 'The widget of changes is called `non_mainwp_changes`.',
  },
  {
    ours: 'non-svc-changes',
    theirs: 'non-mainwp-changes',
    note: 'A batch answers changes of sites under `non-mainwp-changes`.',
  },
  { ours: 'chat_widget', theirs: 'chatbase', note: 'The setting `chat_widget` is called `chatbase`.' },
  {
    ours: 'core_upgrades',
    theirs: 'wp_upgrades',
    note: 'Waiting updates of WordPress itself stand in `wp_upgrades` of a site.',
  },
  {
    ours: 'perf_audit_noti_email',
    theirs: 'lighthouse_noti_email',
    note: 'The mail of performance audits is keyed `lighthouse_noti_email`.',
  },
];
