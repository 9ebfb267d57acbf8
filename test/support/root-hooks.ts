import { appendFileSync } from 'node:fs';
import { closeTestDatabases } from './database.ts';
import { explainFailure, forgetErrors } from './service-errors.ts';

export const mochaHooks: Mocha.RootHookObject = {
  /** Names the file and the database in the report: the title of the root suite is empty otherwise. */
  beforeAll(this: Mocha.Context) {
    const { TEST_NAME: name } = process.env;
    if (name && this.test?.parent) this.test.parent.title = `=== ${name} ===`;
  },
  beforeEach: forgetErrors,
  afterEach(this: Mocha.Context) {
    if (this.currentTest?.err) explainFailure(this.currentTest.err);
  },
  async afterAll() {
    await closeTestDatabases();
    const { TEST_NAME: name, TEST_BEGAN: began, TEST_TIMES_FILE: file } = process.env;
    if (name && began && file) appendFileSync(file, `${Date.now() - Number(began)} ${name}\n`);
  },
};
