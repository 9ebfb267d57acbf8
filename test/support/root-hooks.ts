import { closeTestDatabases } from './database.ts';

/** What every process of the tests does around a file, or around all that it runs. */
export const mochaHooks: Mocha.RootHookObject = {
  /** A report on many files names each, and the database: what comes above all suites is called nothing otherwise. */
  beforeAll(this: Mocha.Context) {
    const { TEST_NAME: name } = process.env;
    if (name && this.test?.parent) this.test.parent.title = `=== ${name} ===`;
  },
  afterAll: closeTestDatabases,
};
