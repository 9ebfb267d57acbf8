import type { Accounts } from './accounts.ts';

/** What other parts and the surfaces may ask of the backup providers. */
export interface ApiBackupsServices {
  accounts: Accounts;
}
