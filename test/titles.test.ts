import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { ROOT } from './support/imports.ts';

describe('the lint of titles', () => {
  // The rule looks at syntax alone, so that no types need to be read for it.
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfig: [tseslint.configs.disableTypeChecked],
    ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-syntax',
  });
  const complaintsAbout = async (line: string): Promise<string[]> => {
    const [result] = await eslint.lintText(line, { filePath: join(ROOT, 'test/planted.test.ts') });
    return (result?.messages ?? []).map(({ message }) => message);
  };

  it('when a title has no condition, no effect or another form, then it is noticed', async () => {
    for (const planted of [
      `it('refuses its calls', () => undefined);`,
      `it('refuses its calls when the key is disabled', () => undefined);`,
      `it('when the key is disabled', () => undefined);`,
      `it('then its calls are refused, when the key is disabled', () => undefined);`,
      `it('if the key is disabled, then its calls are refused', () => undefined);`,
      'it(`${name} when it is disabled, then refused`, () => undefined);',
      'it(`when ${name} is disabled`, () => undefined);',
      `it.only('refuses its calls', () => undefined);`,
      `it(title, () => undefined);`,
    ]) {
      const complaints = await complaintsAbout(planted);
      assert.equal(complaints.length, 1, planted);
      assert.match(complaints.join(), /^A title says when …, then …: /);
    }
  });

  it('when a title says when and then, then it passes', async () => {
    for (const title of [
      "'when the key is disabled, then its calls are refused'",
      '`when ${key} is disabled, then ${it}`',
    ])
      assert.deepEqual(await complaintsAbout(`it(${title}, () => undefined);`), []);
  });
});
