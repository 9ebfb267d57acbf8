import { closeTestDatabases } from './database.ts';

/** What every process of the tests does around a file, or around all that it runs. */
export const mochaHooks = { afterAll: closeTestDatabases };
