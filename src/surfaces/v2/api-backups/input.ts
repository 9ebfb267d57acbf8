import type { components } from '../../../../generated/v2.ts';
import type { AccountPatch } from '../../../domains/api-backups/index.ts';

export const accountPatchOf = ({
  company_id: companyId,
  secrets,
  enabled,
  url,
  username,
  password,
}: components['schemas']['BackupProviderEdit']): AccountPatch => ({
  ...(enabled === undefined ? {} : { enabled }),
  ...(url === undefined ? {} : { url }),
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  ...(companyId === undefined ? {} : { companyId }),
  ...(secrets === undefined ? {} : { apiKey: secrets.api_key }),
});
