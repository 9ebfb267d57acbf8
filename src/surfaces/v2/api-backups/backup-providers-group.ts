import type { components } from '../../../../generated/v2.ts';
import type { SettingsGroupInfo } from '../settings/view.ts';

type BackupProviderFieldNames = Record<keyof components['schemas']['BackupProviderEdit'], true>;

const FIELDS: BackupProviderFieldNames = {
  enabled: true,
  url: true,
  username: true,
  password: true,
  company_id: true,
  secrets: true,
};

export const backupProvidersGroup: SettingsGroupInfo = {
  title: 'backup providers',
  description: 'Services that are asked for the last backups of the sites, and their credentials.',
  module: 'api-backups',
  edit: '/settings/api-backups/{api_slug}/edit',
  fields: FIELDS,
};
