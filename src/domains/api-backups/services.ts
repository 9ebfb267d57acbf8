import type { Accounts } from './accounts.ts';

export interface ApiBackupsServices {
  accounts: Accounts;
}
